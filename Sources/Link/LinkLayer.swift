import Realtime

/// A layer that stands on a lower one. What a layer does not do itself, the lower one does.
public protocol LinkLayer: PacketLink {
    /// The link below.
    var lower: any PacketLink { get }
}

extension LinkLayer {
    public var peer: LinkPeer? { lower.peer }
    public func setPeer(_ peer: LinkPeer?) { lower.setPeer(peer) }
    public func admit(_ sources: AdmittedSources) { lower.admit(sources) }
    public func expect(_ payloadTypes: PayloadTypeSet) { lower.expect(payloadTypes) }
    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool { lower.send(&packet, now: now) }
    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) { lower.receive(now: now, deliver) }
    public func advance(to now: HostTime) { lower.advance(to: now) }
    public var nextDeadline: HostTime? { lower.nextDeadline }
    public var wantsWakeup: Bool { lower.wantsWakeup }
    public func nextEvent() -> LinkEvent? { lower.nextEvent() }
    public var statistics: LinkStatistics { lower.statistics }
}
