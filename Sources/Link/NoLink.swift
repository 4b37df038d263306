import Realtime

/// A link that leads nowhere: what is sent is gone, and nothing comes. For a replay, which answers nobody, and to try whether
/// a call can be made at all.
package final class NoLink: LinkEnd {
    package init() {}

    package func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool { true }
}
