import Realtime

/// What a packet says of the other side. What that means for the call is decided above the stream.
struct PacketSign {
    enum Kind {
        /// Media of the heard source.
        case media
        /// RTCP of the heard source.
        case control
        /// Its BYE.
        case goodbye
        /// Its BYE, but it goes on as another source.
        case sourceLeft
        /// Nothing: it was dropped.
        case nothing
    }

    var kind: Kind
    let arrival: HostTime
    /// The SSRC that was heard before this packet, and the one that is heard from it on.
    var sourceChange: (from: UInt32, to: UInt32)?

    init(_ kind: Kind, arrival: HostTime) {
        self.kind = kind
        self.arrival = arrival
    }
}
