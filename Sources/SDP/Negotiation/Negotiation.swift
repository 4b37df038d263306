/// Offer and answer of one dialog (RFC 3264): what was offered, answered and is in force, kept apart.
///
/// A value: a copy for each early dialog of a forked call negotiates on its own. It has no clock and no socket.
///
///     idle -- makeOffer() --> offered -- receive(answer:) --> agreed
///     idle -- answer(_:) ---------------------------------> agreed
///     agreed -- makeOffer() --> offered -- withdrawOffer() (488, 491, no answer) --> agreed, as before
public struct Negotiation: Sendable {
    public enum Phase: Hashable, Sendable {
        case idle, offered, agreed
    }

    /// What this side can do. A change shows in the next offer or answer.
    public var capabilities: AudioCapabilities
    /// Where this side receives, and whether it holds. A change shows in the next offer or answer.
    public var local: LocalMedia
    public var policy: MediaAddressPolicy

    public private(set) var phase = Phase.idle
    public internal(set) var offered: SessionDescription?
    /// nil while an offer waits for its answer.
    public internal(set) var answered: SessionDescription?
    /// nil: no audio.
    public internal(set) var inForce: AudioInForce?
    public internal(set) var receipt: NegotiationReceipt?

    private let sessionID: String
    private var version: UInt64
    /// The last description that this side sent.
    private var sent: SessionDescription?
    var numbers = PayloadNumbers()
    private var offeredBy = NegotiationReceipt.Side.us
    /// What an offer that is withdrawn gives back.
    private var before:
        (phase: Phase, offeredBy: NegotiationReceipt.Side, offered: SessionDescription?, answered: SessionDescription?)?

    /// - Parameter sessionID: random; identifies the session in `o=`, and its version counts up from there.
    public init(
        capabilities: AudioCapabilities, local: LocalMedia, policy: MediaAddressPolicy = MediaAddressPolicy(),
        sessionID: UInt64
    ) {
        self.capabilities = capabilities
        self.local = local
        self.policy = policy
        // RFC 3264 section 5: it fits 63 bits, with room to count.
        let id = sessionID >> 2
        self.sessionID = String(id)
        version = id
    }

    /// The payload types that may arrive because of an offer that is not answered yet (early media).
    public var receivableWhileOffered: [UInt8: AudioFormat] {
        guard phase == .offered, let line = offered?.media.first(where: { $0.media == "audio" && $0.port != 0 })
        else { return [:] }
        var found: [UInt8: AudioFormat] = [:]
        for entry in FormatTable(line).entries { found[entry.payloadType] = entry.format }
        return found
    }

    // MARK: Offering

    /// An offer: the first, or a new one with whatever has changed: a hold, a resume, an address, codecs. Lines that
    /// were refused keep their place with port 0.
    public mutating func makeOffer() throws(NegotiationError) -> SessionDescription {
        guard phase != .offered else { throw .offerPending }
        let index = inForce?.line ?? sent?.media.firstIndex { $0.media == "audio" } ?? 0
        let previous = sent.flatMap { index < $0.media.count ? $0.media[index] : nil }
        var maker = OfferMaker(capabilities: capabilities, local: local, current: inForce?.sending.codec.format)
        if let previous, let sent { maker.mediaID = MediaReading(line: previous, session: sent).mediaID }
        let security = capabilities.security
        maker.security = security.offer(inForce?.security, isFirst: inForce == nil)
        if let ice = local.ice, ice.isOffered(current: inForce?.ice, isFirst: inForce == nil) {
            maker.ice = ice.description.attributes
        }
        if local.mixes { maker.levels = MixLevels.offer(inForce: inForce?.levels) }
        if let inForce, let previous, inForce.line == index {
            maker.transport = previous.transport
        } else {
            guard let transport = security.offeredTransport else { throw .nothingToEncryptWith }
            maker.transport = transport
        }
        guard let line = maker.line(numbers: &numbers) else { throw .nothingToOffer }
        var media = sent?.media.map(\.refused) ?? []
        if index < media.count { media[index] = line } else { media.append(line) }
        let offer = describe(media, attributes: inForce == nil ? [] : sent?.attributes ?? [])
        before = (phase, offeredBy, offered, answered)
        phase = .offered
        offeredBy = .us
        offered = offer
        answered = nil
        return offer
    }

    /// The offer was refused or had no answer: what was in force before stays in force.
    public mutating func withdrawOffer() {
        guard phase == .offered, let before else { return }
        (phase, offeredBy, offered, answered) = before
        self.before = nil
    }

    /// Takes the answer to the offer.
    ///
    /// The same answer again (a 200 after a 183) changes nothing; another one to the same offer, which RFC 3261 section
    /// 13.2.1 allows to be ignored, takes the place of the first: gateways send ringing tone from elsewhere.
    public mutating func receive(answer: SessionDescription) throws(NegotiationError) {
        guard let offer = offered, offeredBy == .us, phase != .idle else { throw .noOfferPending }
        if phase == .agreed && answer == answered { return }
        guard answer.media.count == offer.media.count else {
            throw .answerDoesNotFit(line: min(answer.media.count, offer.media.count))
        }
        for index in offer.media.indices where answer.media[index].media != offer.media[index].media {
            throw .answerDoesNotFit(line: index)
        }
        let outcome = read(answer: answer, to: offer)
        guard outcome.audio != nil || outcome.refusal == .disabledByOffer else {
            throw .answerUnusable(outcome.refusal ?? .noCommonCodec, outcome.receipt)
        }
        accept(outcome.audio, outcome.receipt)
        answered = answer
    }

    /// Takes the answer to what we agreed to last, which a refresh of the session has offered once more (RFC 4028 section 7.4),
    /// whoever made the offer that is in force. An offer of ours that was withdrawn since then is not what the refresh repeats.
    public mutating func receive(refreshed answer: SessionDescription) throws(NegotiationError) {
        guard phase == .agreed, offeredBy == .peer, let ours = answered else { return try receive(answer: answer) }
        guard answer != offered else { return }
        var again = self
        (again.offeredBy, again.offered, again.answered) = (.us, ours, nil)
        try again.receive(answer: answer)
        self = again
    }

    /// Whether the peer made the offer that is in force.
    public var isOfferThePeers: Bool { phase == .agreed && offeredBy == .peer }

    // MARK: Answering

    /// Answers an offer. On an error nothing has changed; it says what to reply.
    public mutating func answer(_ offer: SessionDescription) throws(NegotiationError) -> SessionDescription {
        guard phase != .offered else { throw .offerPending }
        var numbers = numbers
        let draft = draftAnswer(to: offer, numbers: &numbers)
        if draft.audioIndex == nil, let refusal = draft.wholeRefusal {
            throw .offerRefused(refusal, refusalReceipt(offer, draft.refusals))
        }
        self.numbers = numbers
        let answer = describe(draft.media, attributes: bundle(offer, draft))
        offeredBy = .peer
        offered = offer
        answered = answer
        let outcome = read(offer: offer, answer: answer, draft: draft)
        accept(outcome.audio, outcome.receipt)
        // Who we are since a restart that the peer asked for.
        if let own = outcome.audio?.ice?.own, let ice = local.ice, own.identity != ice.description.identity {
            local.ice = LocalICE(own, isOffered: ice.isOffered)
        }
        return answer
    }

    private mutating func accept(_ audio: AudioInForce?, _ receipt: NegotiationReceipt) {
        inForce = audio
        self.receipt = receipt
        phase = .agreed
        before = nil
    }

    /// The description with these lines. Its version is the last one's when nothing else differs, else one more (RFC
    /// 3264 section 8).
    private mutating func describe(_ media: [MediaDescription], attributes: [Attribute]) -> SessionDescription {
        let connection = Connection(address: local.address)
        var description = SessionDescription(
            origin: Origin(
                sessionID: sessionID, sessionVersion: String(version), addressType: connection.addressType,
                address: local.address),
            connection: connection)
        description.attributes = attributes
        description.media = media
        if let sent, sent != description {
            version += 1
            description.origin.sessionVersion = String(version)
        }
        sent = description
        return description
    }
}
