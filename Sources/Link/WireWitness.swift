/// Is shown the packets of a stream as they are on the wire, where a layer encrypts them.
public protocol WireWitness: AnyObject {
    /// A packet goes out as it stands.
    /// - Parameters:
    ///   - packet: that is sent.
    ///   - peer: where it goes.
    func note(sent packet: OutgoingPacket, to peer: LinkPeer)

    /// A packet has come in, whoever made it.
    /// - Parameter packet: as it came.
    func note(received packet: ReceivedPacket)
}

/// A layer that encrypts: above it packets are plain, below it they are as on the wire.
public protocol EncryptingLayer: LinkLayer {
    /// Who is shown each packet as it is on the wire; nil: nobody. Set before the first packet, or by who steps the link.
    var witness: (any WireWitness)? { get set }
}

extension PacketLink {
    /// The layer that encrypts, this one or the next below; nil: packets are plain.
    public var encryptingLayer: (any EncryptingLayer)? {
        if let own = self as? any EncryptingLayer { return own }
        return (self as? any LinkLayer)?.lower.encryptingLayer
    }
}
