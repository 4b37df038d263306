/// Why an offer or answer led to nothing. What was in force stays in force.
public enum NegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An offer of ours waits for its answer: an offer that comes now is answered with 491 (RFC 3261 section 14.2).
    case offerPending
    /// An answer to no offer.
    case noOfferPending
    /// No media line of the offer can be used: 488, with the receipt.
    case offerRefused(LineRefusal, NegotiationReceipt)
    /// The answer has another number of media lines than the offer, or other media (RFC 3264 section 6).
    case answerDoesNotFit(line: Int)
    /// The answer leaves nothing that could be used: the call ends, with the receipt.
    case answerUnusable(LineRefusal, NegotiationReceipt)
    /// This side has no codec, or no free payload type.
    case nothingToOffer
    /// Media must be encrypted, and there is neither certificate nor key for it.
    case nothingToEncryptWith

    /// Code and text of the `Warning` header field that goes with 488 (RFC 3261 section 20.43); nil: none fits.
    public var warning: (code: Int, text: String)? {
        guard case .offerRefused(let refusal, _) = self else { return nil }
        let code =
            switch refusal {
            case .notAudio, .secondAudio, .disabledByOffer, .refusedByPeer: 304
            case .noCommonCodec: 305
            case .encryption, .unencrypted, .transport: 302
            case .address(.otherFamily), .address(.noAddress), .address(.notNumeric): 301
            case .address(.multicast): 330
            case .address: 399
            }
        return (code, refusal.description)
    }

    public var description: String {
        switch self {
        case .offerPending: "an offer is under way already"
        case .noOfferPending: "an answer came to no offer"
        case .offerRefused(let refusal, _): "the offer cannot be answered: \(refusal)"
        case .answerDoesNotFit(let line): "the answer does not fit the offer at media line \(line)"
        case .answerUnusable(let refusal, _): "the answer cannot be used: \(refusal)"
        case .nothingToOffer: "no codec to offer: give at least one"
        case .nothingToEncryptWith: "the media must be encrypted, and there is no certificate for it"
        }
    }
}
