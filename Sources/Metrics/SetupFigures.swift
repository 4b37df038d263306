/// How a call's way was found and its keys were agreed on; `nil` is what was not needed.
public struct SetupFigures: Sendable, Equatable {
    /// From the other side's answer or offer to the first pair of addresses that carried media (ICE), ms.
    public var iceMilliseconds: Double?
    /// The handshake that agreed on the keys, ms.
    public var dtlsMilliseconds: Double?
    /// What the pair in use costs: `host`, `srflx`, `prflx` or `relay`, the dearer of both ends.
    public var pair: String?
    /// Kind of our end.
    public var pairLocal: String?
    /// Kind of the other side's end.
    public var pairRemote: String?
    /// Round trip of the last check on it, ms.
    public var pairRoundTripMilliseconds: Double?

    public init() {}
}
