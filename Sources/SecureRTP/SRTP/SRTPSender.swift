import Link

/// Protects what we send under one master key, in place.
///
/// The rollover counters live as long as the key. A sequence number that would use the keystream a second time is refused: who
/// begins a stream anew takes a new SSRC or goes on counting.
final class SRTPSender: KeyedContext {
    let key: SRTPMasterKey
    private let context: SRTPContext

    init(_ key: SRTPMasterKey) throws(SRTPError) {
        self.key = key
        context = try SRTPContext(key, .outbound)
    }

    /// - Returns: false when the packet must not go out; it may be damaged then.
    func protect(_ packet: inout OutgoingPacket) -> Bool {
        let isControl = packet.flow == .control
        let suite = key.suite
        let trailer = (isControl ? suite.controlTagLength : suite.tagLength) + key.identifier.count
        guard packet.room >= trailer, packet.count >= (isControl ? 8 : 12) else { return false }
        return packet.transform { buffer, length in
            guard case .success(let count) = context.protect(buffer, length, isControl: isControl) else { return nil }
            return count
        }
    }
}
