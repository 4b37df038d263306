/// What SRTP counted.
public struct SRTPStatistics: Sendable, Hashable {
    /// The suite of what we send; nil before there is a key.
    public var suite: SRTPSuite?
    /// Packets that were taken, RTP and RTCP.
    public var accepted = 0
    /// Packets that had come before, or were too old to tell. A network that doubles packets makes some.
    public var replayed = 0
    /// Packets that nobody with the key made, or that were changed on their way: forged, plain, or under another key.
    public var failed = 0
    /// Packets that came before there was a key.
    public var early = 0
    /// Packets that were not sent: there was no key, or the keystream would have been used twice.
    public var unsent = 0
    /// Times that a stream was found again at another place: it had gone on while nothing arrived, or begun anew.
    public var resynchronized = 0

    public init() {}
}
