import Realtime

/// Packets on their way, in order of arrival; of two that arrive at one time the one sent first comes first.
struct NetworkEmulatorQueue: Sendable {
    struct Entry: Sendable {
        let stream: NetworkEmulator.Stream
        let bytes: [UInt8]
        var time: HostTime
        /// Set while the packet waits for its stream's next one to pass: when it would have arrived by itself.
        var ownTime: HostTime?
    }

    private var entries = [Entry]()

    var nextTime: HostTime? { entries.first?.time }

    /// Adds a packet. One of its stream that was held back is let go, right behind this one.
    /// - Parameter hold: the longest wait in milliseconds for one that overtakes it; nil not to hold the packet back.
    /// - Returns: whether the packet is held back. One that overtakes another is not.
    mutating func insert(
        _ bytes: [UInt8], stream: NetworkEmulator.Stream, at time: HostTime, hold: Double? = nil
    ) -> Bool {
        if let index = entries.firstIndex(where: { $0.ownTime != nil && $0.stream == stream }) {
            var overtaken = entries.remove(at: index)
            overtaken.time = max(time, overtaken.ownTime ?? time)
            overtaken.ownTime = nil
            place(Entry(stream: stream, bytes: bytes, time: time))
            place(overtaken)
            return false
        }
        guard let hold else {
            place(Entry(stream: stream, bytes: bytes, time: time))
            return false
        }
        place(Entry(stream: stream, bytes: bytes, time: time.advanced(byMilliseconds: hold), ownTime: time))
        return true
    }

    mutating func removeFirst(until now: HostTime) -> Entry? {
        guard let first = entries.first, first.time <= now else { return nil }
        return entries.removeFirst()
    }

    private mutating func place(_ entry: Entry) {
        var index = entries.endIndex
        while index > 0, entries[index - 1].time > entry.time { index -= 1 }
        entries.insert(entry, at: index)
    }
}
