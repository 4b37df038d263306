import Glibc

/// Whose volume is lowered, and put back.
///
/// A stream that somebody else changed meanwhile is not touched again. One that ended while it was lowered is remembered:
/// the server gives the lowered volume to its successor (the player's next song), which then counts as lowered already.
package struct DuckingPlan: Sendable {
    package private(set) var records: [DuckRecord]
    /// Lowered streams that ended, with the server's run or within it.
    private var ended: [DuckRecord] = []
    /// Streams whose volume a person set while it was lowered.
    private var leftAlone: Set<UInt32> = []

    /// - Parameter orphans: what a process that was killed left lowered.
    package init(orphans: [DuckRecord] = []) { records = orphans }

    /// Whether something that was lowered is still to be put back.
    package var hasLeft: Bool { !records.isEmpty || !ended.isEmpty }

    /// A volume lowered by `decibels` (negative), on the sound server's cubic scale.
    package static func lowered(_ volume: UInt32, decibels: Double) -> UInt32 {
        decibels <= -120 ? 0 : UInt32(min((Double(volume) * pow(10, decibels / 60)).rounded(), Double(Int32.max)))
    }

    /// Lowers `victims` by `decibels` and puts back whatever else is lowered; `nil` when nobody is to be lowered any more.
    /// - Parameter held: streams that another living session has lowered.
    package mutating func update(
        _ snapshot: ServerSnapshot, victims: Set<UInt32>?, decibels: Double, held: Set<UInt32> = []
    ) -> [SessionAction] {
        let before = records + ended
        var changes: [SessionAction] = []
        var kept: [DuckRecord] = []
        leftAlone.formIntersection(snapshot.playing.map(\.index))
        for var record in records {
            guard record.cookie == snapshot.cookie else {
                // The number of its stream means nothing in another run of the server, the name of its volume does.
                if Self.isRemembered(record, in: snapshot) { ended.append(record) }
                continue
            }
            guard let stream = snapshot.playing.first(where: { $0.index == record.stream }) else {
                if !record.restoreID.isEmpty { ended.append(record) }
                continue
            }
            guard stream.volumes == record.lowered else {
                leftAlone.insert(stream.index)
                continue
            }
            guard victims?.contains(stream.index) ?? false else {
                changes.append(.setVolume(stream: stream.index, record.former))
                continue
            }
            let wanted = record.former.map { Self.lowered($0, decibels: decibels) }
            if wanted != record.lowered {
                record.lowered = wanted
                changes.append(.setVolume(stream: stream.index, wanted))
            }
            kept.append(record)
        }
        records = kept
        for stream in snapshot.playing where victims?.contains(stream.index) ?? false {
            if leftAlone.contains(stream.index) || held.contains(stream.index) { continue }
            if records.contains(where: { $0.stream == stream.index }) || stream.volumes.isEmpty { continue }
            if !stream.volumeIsWritable { continue }
            if let record = inherited(by: stream, cookie: snapshot.cookie) {
                records.append(record)
                continue
            }
            let lowered = stream.volumes.map { Self.lowered($0, decibels: decibels) }
            records.append(
                DuckRecord(
                    cookie: snapshot.cookie, stream: stream.index, restoreID: stream.restoreID, former: stream.volumes,
                    lowered: lowered))
            changes.append(.setVolume(stream: stream.index, lowered))
        }
        if victims == nil { changes += forgetEnded() }
        return (records + ended == before ? [] : [.save(records + ended)]) + changes
    }

    /// Whether the server may still have what we made of a volume in an earlier run: nobody plays under its name at
    /// another one.
    private static func isRemembered(_ record: DuckRecord, in snapshot: ServerSnapshot) -> Bool {
        !record.restoreID.isEmpty
            && !snapshot.playing.contains { $0.restoreID == record.restoreID && $0.volumes != record.lowered }
    }

    /// Puts everything back, as far as `snapshot` knows of it.
    package mutating func end(_ snapshot: ServerSnapshot) -> [SessionAction] {
        update(snapshot, victims: nil, decibels: 0)
    }

    /// The server's memory of streams that ended gets the volume of before.
    private mutating func forgetEnded() -> [SessionAction] {
        defer { ended = [] }
        return ended.map { .rememberVolume(restoreID: $0.restoreID, $0.former) }
    }

    private mutating func inherited(by stream: ServerStream, cookie: UInt32) -> DuckRecord? {
        guard
            let index = ended.firstIndex(where: { $0.restoreID == stream.restoreID && $0.lowered == stream.volumes })
        else { return nil }
        var record = ended.remove(at: index)
        (record.cookie, record.stream) = (cookie, stream.index)
        return record
    }
}
