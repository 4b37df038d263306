import Realtime

/// Whether the other side's BYE is meant: it ends the call when the heard stream stays out too. A forged BYE, or one for an
/// SSRC that was given up after a collision (RFC 3550 section 8.2), changes nothing while the voice goes on.
struct Goodbye {
    /// Silence of the stream after which a BYE is believed, in milliseconds: some packets.
    static let silenceMilliseconds = 150.0
    /// A BYE that the stream has outlived is forgotten, in milliseconds.
    static let memoryMilliseconds = 2000.0
    /// Packets further apart than this say nothing (a pause with discontinuous transmission), in milliseconds.
    private static let longestSpacing = 500.0

    private var saidAt: HostTime?
    private var lastHeard: HostTime?
    /// Milliseconds between the last two packets.
    private var spacing = 0.0

    /// Whether nothing more is to be expected after a goodbye, though it is not believed yet: some packets are missing.
    func leavesSilence(at now: HostTime) -> Bool {
        guard let saidAt else { return false }
        return now.milliseconds(since: max(saidAt, lastHeard ?? saidAt)) > max(Self.silenceMilliseconds / 2, 2 * spacing)
    }

    /// A packet of the heard stream came.
    mutating func heardMedia(at time: HostTime) {
        if let lastHeard { spacing = min(max(0, time.milliseconds(since: lastHeard)), Self.longestSpacing) }
        lastHeard = max(lastHeard ?? time, time)
    }

    /// A BYE came.
    mutating func said(at time: HostTime) { saidAt = saidAt ?? time }

    /// Whether the call is over.
    mutating func isMeant(at now: HostTime) -> Bool {
        guard let saidAt else { return false }
        let last = max(saidAt, lastHeard ?? saidAt)
        if now.milliseconds(since: last) >= max(Self.silenceMilliseconds, 2 * spacing) { return true }
        if now.milliseconds(since: saidAt) > Self.memoryMilliseconds { self.saidAt = nil }
        return false
    }
}
