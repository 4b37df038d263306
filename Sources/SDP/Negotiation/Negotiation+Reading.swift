extension Negotiation {
    /// What the other side's answer brings about. Without audio, `refusal` says why.
    func read(
        answer: SessionDescription, to offer: SessionDescription
    ) -> (audio: AudioInForce?, refusal: LineRefusal?, receipt: NegotiationReceipt) {
        var receipt = NegotiationReceipt(offeredBy: .us)
        var audio: AudioInForce?
        var refusal: LineRefusal?
        for index in offer.media.indices {
            let ours = MediaReading(line: offer.media[index], session: offer)
            let theirs = MediaReading(line: answer.media[index], session: answer)
            if ours.line.port == 0 {
                receipt.rows.append(refusalRow(index, ours.line, answeredPort: theirs.line.port, .disabledByOffer))
                continue
            }
            let agreement = Agreement(
                capabilities: capabilities, local: local, index: index, ours: ours, theirs: theirs, offeredBy: .us,
                numbers: numbers, former: inForce?.security, formerICE: inForce?.ice)
            if theirs.line.port == 0 {
                refusal = .refusedByPeer
            } else if !MediaTransport.isKnown(theirs.line.transport) {
                refusal = .transport(theirs.line.transport)
            } else if case .refused(let wrong) = agreement.security {
                refusal = wrong
            } else if let wrong = policy.refusal(
                of: theirs, localAddress: local.address, usesICE: ours.ice != nil)
            {
                refusal = .address(wrong)
            } else if let found = agreement.audio() {
                audio = found
                receipt.rows += agreement.rows(found)
                receipt.cost = agreement.cost(found)
                continue
            } else {
                refusal = .noCommonCodec
            }
            receipt.rows.append(
                refusalRow(index, ours.line, answeredPort: theirs.line.port, refusal ?? .noCommonCodec))
        }
        return (audio, refusal ?? (audio == nil ? .disabledByOffer : nil), receipt)
    }
}
