import Link
import Realtime

/// Authenticates and decrypts what one master key of the peer protects.
///
/// Each SSRC has its context as long as the key lives: through hold, through another offer with the same key, through a change
/// of SSRC and back. A stream whose place in the key was lost is looked for again, and found only where nothing was
/// taken before, so that a replay never helps:
/// - it went on for more than half a round while nothing arrived (a long hold), or was joined late: the next rollovers are tried;
/// - it began again at another sequence number, with or without its rollover counter.
final class SRTPReceiver: KeyedContext {
    struct Accepted {
        /// Bytes of the packet now.
        let length: Int
        let ssrc: UInt32
        /// Whether no packet of its stream was further on.
        let isNewest: Bool
    }

    /// A peer has one stream, and another after each collision or transfer; more are refused, since each costs memory.
    static let mostSources = 128
    /// Silence of a stream before its place is looked for again, in milliseconds.
    static let silenceMilliseconds = 100.0

    let key: SRTPMasterKey
    private let context: SRTPContext
    private var sources: [UInt32: Source] = [:]
    private var controlSources: Set<UInt32> = []
    private var latest: Source?
    private var known = SearchBudget()
    private var unknown = SearchBudget()
    /// Times that a stream was found again.
    private(set) var resynchronized = 0

    private final class Source {
        let ssrc: UInt32
        var seen: SeenIndices
        var heard: HostTime
        /// In place of the common one since the stream was found again.
        var context: SRTPContext?

        init(ssrc: UInt32, at index: PacketIndex, heard: HostTime) {
            self.ssrc = ssrc
            seen = SeenIndices(index)
            self.heard = heard
        }
    }

    init(_ key: SRTPMasterKey) throws(SRTPError) {
        self.key = key
        context = try SRTPContext(key, .inbound)
    }

    // MARK: - RTP

    /// Authenticates and decrypts an RTP packet in place.
    func unprotect(rtp packet: UnsafeMutableRawBufferPointer, now: HostTime) -> Result<Accepted, SRTPStatus> {
        let bytes = UnsafeRawBufferPointer(packet)
        guard Self.isComplete(bytes, trailer: key.suite.tagLength + key.identifier.count) else { return .failure(.failed) }
        let sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        let ssrc = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian
        let source = latest?.ssrc == ssrc ? latest : sources[ssrc]
        guard source != nil || sources.count < Self.mostSources else { return .failure(.failed) }
        let index = source?.seen.highest.estimate(of: sequence) ?? PacketIndex(rollover: 0, sequence: sequence)
        // A failed try may leave the packet damaged.
        let saved = isLost(source, at: now) ? [UInt8](bytes) : nil
        let status: SRTPStatus
        if source?.seen.isPast(index) ?? false {
            // The library's window does not know it: asked, it would go back to that place and lose the stream.
            status = .replayed
        } else {
            switch (source?.context ?? context).unprotect(packet, isControl: false) {
            case .success(let length): return .success(take(index, length, ssrc, source, now))
            case .failure(let failure): status = failure
            }
        }
        guard var saved, let found = find(&saved, sequence, ssrc, source, now) else { return .failure(status) }
        packet.copyBytes(from: saved[..<found.length])
        return .success(found)
    }

    /// Whether a packet that is refused may be looked for elsewhere.
    private func isLost(_ source: Source?, at now: HostTime) -> Bool {
        guard let source else { return unknown.isAllowed(at: now) }
        return now.milliseconds(since: source.heard) >= Self.silenceMilliseconds && known.isAllowed(at: now)
    }

    private func take(_ index: PacketIndex, _ length: Int, _ ssrc: UInt32, _ source: Source?, _ now: HostTime) -> Accepted {
        guard let source else {
            let new = Source(ssrc: ssrc, at: index, heard: now)
            sources[ssrc] = new
            latest = new
            return Accepted(length: length, ssrc: ssrc, isNewest: true)
        }
        let isNewest = index > source.seen.highest
        source.seen.insert(index)
        source.heard = now
        latest = source
        return Accepted(length: length, ssrc: ssrc, isNewest: isNewest)
    }

    // MARK: - Streams out of step

    /// Tries the packet at other places of its stream.
    private func find(
        _ packet: inout [UInt8], _ sequence: UInt16, _ ssrc: UInt32, _ source: Source?, _ now: HostTime
    ) -> Accepted? {
        if source == nil { unknown.spend(at: now) } else { known.spend(at: now) }
        let original = packet
        for index in places(of: sequence, source) {
            guard let context = try? SRTPContext(key, .inboundStream(ssrc: ssrc, rollover: index.rollover)) else { continue }
            packet = original
            let result = packet.withUnsafeMutableBytes { context.unprotect($0, isControl: false) }
            guard case .success(let length) = result else { continue }
            let found = source ?? Source(ssrc: ssrc, at: index, heard: now)
            if source != nil { found.seen.restart(at: index) }
            found.heard = now
            found.context = context
            sources[ssrc] = found
            latest = found
            resynchronized += 1
            return Accepted(length: length, ssrc: ssrc, isNewest: true)
        }
        return nil
    }

    /// Where else a packet may belong: the next round, the present one from its start, the one after the next, the very first.
    private func places(of sequence: UInt16, _ source: Source?) -> [PacketIndex] {
        guard let source else { return (1...4).map { PacketIndex(rollover: $0, sequence: sequence) } }
        guard source.seen.restarts < Self.mostRestarts else { return [] }
        let highest = source.seen.highest
        let guess = source.seen.highest.estimate(of: sequence)
        var result: [PacketIndex] = []
        for rollover in [highest.rollover &+ 1, highest.rollover, highest.rollover &+ 2, 0] {
            let index = PacketIndex(rollover: rollover, sequence: sequence)
            if index != guess, !source.seen.contains(index), !result.contains(index) { result.append(index) }
        }
        return result
    }

    /// Each costs a context and a range to remember.
    private static let mostRestarts = 64

    // MARK: - RTCP

    /// Authenticates and decrypts an RTCP packet in place.
    func unprotect(rtcp packet: UnsafeMutableRawBufferPointer) -> Result<Accepted, SRTPStatus> {
        let bytes = UnsafeRawBufferPointer(packet)
        guard bytes.count >= 8 + key.suite.controlTagLength + key.identifier.count, bytes[0] >> 6 == 2 else {
            return .failure(.failed)
        }
        let ssrc = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self).bigEndian
        guard controlSources.contains(ssrc) || controlSources.count < Self.mostSources else { return .failure(.failed) }
        return context.unprotect(packet, isControl: true).map { length in
            controlSources.insert(ssrc)
            return Accepted(length: length, ssrc: ssrc, isNewest: true)
        }
    }

    // MARK: - Form

    /// Whether header and trailer fit.
    private static func isComplete(_ packet: UnsafeRawBufferPointer, trailer: Int) -> Bool {
        guard packet.count >= 12 + trailer, packet[0] >> 6 == 2 else { return false }
        var header = 12 + 4 * Int(packet[0] & 15)
        if packet[0] & 0x10 != 0 {
            guard packet.count >= header + 4 + trailer else { return false }
            header += 4 + 4 * (Int(packet[header + 2]) << 8 | Int(packet[header + 3]))
        }
        return packet.count >= header + trailer
    }
}

/// How often a lost stream is looked for: forged packets shall not buy much work. Streams that were heard have a budget of their
/// own, so that forged SSRCs do not use it up.
private struct SearchBudget {
    /// Searches that may follow at once.
    private static let most = 10.0
    /// Searches a second.
    private static let rate = 20.0
    private var left = most
    private var since: HostTime?

    private func left(at now: HostTime) -> Double {
        guard let since else { return left }
        return min(Self.most, left + max(0, now.milliseconds(since: since)) / 1000 * Self.rate)
    }

    func isAllowed(at now: HostTime) -> Bool { left(at: now) >= 1 }

    mutating func spend(at now: HostTime) {
        left = left(at: now) - 1
        since = now
    }
}
