import Realtime

/// A link with nothing below it that is asked for: what does not apply to it does nothing. A socket is one; so is the place
/// where a replay or a test keeps what was sent.
public protocol LinkEnd: PacketLink {}

extension LinkEnd {
    public var peer: LinkPeer? { nil }
    public func setPeer(_ peer: LinkPeer?) {}
    public func admit(_ sources: AdmittedSources) {}
    public func expect(_ payloadTypes: PayloadTypeSet) {}
    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {}
    public func advance(to now: HostTime) {}
    public var nextDeadline: HostTime? { nil }
    public var wantsWakeup: Bool { false }
    public func nextEvent() -> LinkEvent? { nil }
    public var statistics: LinkStatistics { LinkStatistics() }
}
