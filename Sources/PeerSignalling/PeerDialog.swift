import Realtime
import SDP
import SecureRTP

/// A call between two who have found each other by DTLS alone: offer, answer, hold and hang-up as SDP in DTLS application data.
///
/// Sans-I/O: messages and time come in, messages and events go out. It begins when the association stands.
///
/// ```
/// caller: start -> offer ---------------> callee: negotiated, incoming
///         negotiated, answered <- answer -        answer() -> answered
///         hold -> offer, answer                   the same, either way
///         hangUp -> bye ----------------->        ended
/// ```
/// Offers that cross: the caller's counts, and the callee's wish travels in its answer. The addresses of the descriptions mean
/// nothing, since media go where DTLS goes; their fingerprints must be the association's.
public struct PeerDialog: Sendable {
    public enum Role: Sendable, Hashable {
        case caller, callee
    }

    /// What is told, in order; `ended` is the last.
    public enum Event: Sendable, Hashable {
        /// What media is agreed on, now or anew.
        case negotiated(AudioInForce, NegotiationReceipt)
        /// The other side calls: `answer` or `refuse`.
        case incoming
        case answered
        case held(byUs: Bool, byPeer: Bool)
        /// A hold or a resume was refused, or had no answer in time or none that can be read; the call is as it was.
        case requestRefused(String)
        case ended(Ending)
    }

    public enum Ending: Sendable, Hashable {
        case hungUpByPeer
        /// The offer was refused: by the other side, or because there is nothing to agree on; or its answer cannot be used.
        case refused(PeerRefusal, String)
        /// Nobody has answered in time.
        case noAnswer
        /// The other side no longer says that it hears us.
        case lost
    }

    /// How long the other side may take to answer an offer, or to make one, in milliseconds: a person is asked there.
    public static let answerMilliseconds = 90_000.0
    /// How long it may be silent in a call while something waits for its receipt, in milliseconds.
    public static let silenceMilliseconds = 30_000.0

    private enum State { case idle, offering, offered, connected, ended }

    private let role: Role
    private let peer: Fingerprint
    private var negotiation: Negotiation
    private var channel = PeerChannel()
    private var state = State.idle
    private var prepared: SessionDescription?
    private var limit: HostTime?
    /// What the person wants; the other side hears of it by the next offer or answer.
    private var wishesHold = false
    private var heldTold = (byUs: false, byPeer: false)
    private var events: [Event] = []
    /// Messages that said nothing, or nothing that belongs to where the call stands.
    private var passedOver = 0

    /// - Parameters:
    ///   - role: which side this is.
    ///   - capabilities: what this side can do; that media are encrypted is added here.
    ///   - own: our certificate in the association, by SHA-256.
    ///   - peer: the other side's, by SHA-256.
    ///   - sessionID: random.
    public init(
        _ role: Role, capabilities: AudioCapabilities, own: DTLSFingerprint, peer: DTLSFingerprint, sessionID: UInt64
    ) {
        self.role = role
        self.peer = Fingerprint(hashFunction: peer.hash.rawValue, bytes: peer.bytes)
        var capabilities = capabilities
        capabilities.security = MediaSecurity(
            mode: .required, fingerprint: Fingerprint(hashFunction: own.hash.rawValue, bytes: own.bytes))
        capabilities.rtcpMux = true
        let local = LocalMedia(address: Self.address, port: Self.port, controlPort: Self.port)
        negotiation = Negotiation(
            capabilities: capabilities, local: local, policy: MediaAddressPolicy(allowsLoopback: true), sessionID: sessionID)
    }

    // MARK: - What this side does

    /// Begins: the caller offers, the callee waits for that.
    public mutating func start(now: HostTime) {
        guard state == .idle else { return }
        setLimit(now)
        if role == .caller {
            state = .offering
            offer(now)
        }
    }

    private mutating func setLimit(_ now: HostTime) { limit = now.advanced(byMilliseconds: Self.answerMilliseconds) }

    /// Answers the call that came.
    public mutating func answer(now: HostTime) {
        guard state == .offered, let prepared else { return }
        self.prepared = nil
        state = .connected
        limit = nil
        send(.answer(prepared), now)
        events.append(.answered)
        tellHolds()
        // What was wished for since the answer was prepared.
        offerWish(now)
    }

    /// Refuses the call, whether an offer has come or not.
    public mutating func refuse(_ refusal: PeerRefusal, _ reason: String, now: HostTime) {
        guard state == .offered || state == .idle else { return }
        state = .ended
        send(.refusal(refusal, reason), now)
    }

    /// Holds or resumes. In the answer or in an offer of its own, as it comes.
    public mutating func hold(_ held: Bool, now: HostTime) {
        guard state != .ended else { return }
        wishesHold = held
        offerWish(now)
    }

    /// Says goodbye. `isSettled` tells when it has arrived.
    public mutating func hangUp(now: HostTime) {
        guard state != .ended else { return }
        state = .ended
        send(.bye, now)
    }

    /// Whether everything that was said has arrived.
    public var isSettled: Bool { channel.isIdle }
    public var isOver: Bool { state == .ended }
    /// Datagrams and messages of the other side's that made no sense.
    public var dropped: Int { channel.dropped + passedOver }

    // MARK: - What the other side says

    /// Takes a datagram of application data.
    public mutating func receive(_ datagram: [UInt8], now: HostTime) {
        guard let bytes = channel.receive(datagram, now: now), state != .ended else { return }
        do throws(PeerMessageError) {
            switch try PeerMessage(bytes) {
            case .offer(let offer): receive(offer: offer, now)
            case .answer(let answer): receive(answer: answer, now)
            case .refusal(let refusal, let reason): receive(refusal, reason, now)
            case .bye: end(.hungUpByPeer)
            }
        } catch {
            passedOver += 1
            switch error.meant {
            case .offer: refuseOffer(.malformed, error.reason, now)
            case .answer: passOver(answer: error.reason, now)
            case .nothing: break
            }
        }
    }

    private mutating func receive(offer: SessionDescription, _ now: HostTime) {
        if negotiation.phase == .offered {
            // Both have offered: the caller's offer counts.
            guard role == .callee else { return }
            negotiation.withdrawOffer()
            limit = nil
        }
        guard state == .connected || (state == .idle && role == .callee) else {
            passedOver += 1
            return
        }
        let answer: SessionDescription
        sayWish()
        do throws(NegotiationError) {
            answer = try negotiation.answer(Self.readable(offer))
        } catch {
            return refuseOffer(.noCommonMedia, "\(error)", now)
        }
        guard let audio = trusted else { return refuseOffer(.noCommonMedia, Self.foreignCertificate, now) }
        tell(audio)
        if state == .idle {
            state = .offered
            prepared = answer
            events.append(.incoming)
        } else {
            send(.answer(answer), now)
            tellHolds()
        }
    }

    private mutating func receive(answer: SessionDescription, _ now: HostTime) {
        guard negotiation.phase == .offered else {
            passedOver += 1
            return
        }
        do throws(NegotiationError) {
            try negotiation.receive(answer: Self.readable(answer))
        } catch {
            negotiation.withdrawOffer()
            return giveUp(.noCommonMedia, "\(error)", now)
        }
        guard let audio = trusted else { return giveUp(.noCommonMedia, Self.foreignCertificate, now) }
        tell(audio)
        limit = nil
        if state == .offering {
            state = .connected
            events.append(.answered)
        }
        tellHolds()
        // What was wished for while this offer was under way.
        offerWish(now)
    }

    private mutating func receive(_ refusal: PeerRefusal, _ reason: String, _ now: HostTime) {
        switch state {
        case .offering, .idle: end(.refused(refusal, reason))
        case .connected where negotiation.phase == .offered: takeOfferBack(reason)
        case .connected, .offered, .ended: passedOver += 1
        }
    }

    /// An offer in the call comes to nothing: the call is as it was.
    private mutating func takeOfferBack(_ reason: String) {
        limit = nil
        negotiation.withdrawOffer()
        wishesHold = heldTold.byUs
        sayWish()
        events.append(.requestRefused(reason))
    }

    /// An answer that cannot be read is the only one that comes.
    private mutating func passOver(answer reason: String, _ now: HostTime) {
        guard negotiation.phase == .offered else { return }
        guard state == .connected else { return giveUp(.malformed, reason, now) }
        takeOfferBack("the other side's answer cannot be read: \(reason)")
    }

    /// The first offer's end is the call's.
    private mutating func refuseOffer(_ refusal: PeerRefusal, _ reason: String, _ now: HostTime) {
        send(.refusal(refusal, reason), now)
        if state == .idle { end(.refused(refusal, reason)) }
    }

    /// An answer that cannot be used ends what it answers.
    private mutating func giveUp(_ refusal: PeerRefusal, _ reason: String, _ now: HostTime) {
        send(.bye, now)
        end(.refused(refusal, reason))
    }

    private mutating func end(_ ending: Ending) {
        state = .ended
        limit = nil
        events.append(.ended(ending))
    }

    // MARK: - Offers

    private mutating func offer(_ now: HostTime) {
        sayWish()
        do throws(NegotiationError) {
            let offer = try negotiation.makeOffer()
            setLimit(now)
            send(.offer(offer), now)
        } catch {
            guard state == .offering else { return events.append(.requestRefused("\(error)")) }
            end(.refused(.noCommonMedia, "\(error)"))
        }
    }

    /// Offers anew when what is in force is not what is wished.
    private mutating func offerWish(_ now: HostTime) {
        guard state == .connected, negotiation.phase == .agreed, wishesHold != heldTold.byUs else { return }
        offer(now)
    }

    /// In the description that is made next. Never while an offer is under way, which its answer is read by.
    private mutating func sayWish() { negotiation.local.direction = wishesHold ? .sendOnly : .sendReceive }

    /// What is agreed on, if it is for this association's certificate.
    private var trusted: AudioInForce? {
        guard let audio = negotiation.inForce, case .dtls(_, _, let theirs) = audio.security, theirs.contains(peer) else {
            return nil
        }
        return audio
    }

    private static let unanswered = "the other side did not answer in time"
    private static let foreignCertificate = "the certificate in the description is not the one of the association"

    private mutating func tell(_ audio: AudioInForce) {
        if let receipt = negotiation.receipt { events.append(.negotiated(audio, receipt)) }
    }

    private mutating func tellHolds() {
        guard let audio = negotiation.inForce else { return }
        let holds = (byUs: !audio.wantedDirection.receives, byPeer: audio.isHeldByPeer)
        guard state == .connected, holds != heldTold else { return }
        heldTold = holds
        events.append(.held(byUs: holds.byUs, byPeer: holds.byPeer))
    }

    /// Stand in the descriptions where an address and a port must.
    private static let address = "127.0.0.1"
    private static let port: UInt16 = 9

    /// The description without what it says of addresses; and who leaves it open who begins the handshake has begun it, since the
    /// caller does.
    private static func readable(_ description: SessionDescription) -> SessionDescription {
        var description = description
        let began: (Attribute) -> Attribute = { if case .setup(.actpass) = $0 { .setup(.active) } else { $0 } }
        description.connection = Connection(address: address)
        description.attributes = description.attributes.map(began)
        for index in description.media.indices {
            description.media[index].connections = []
            description.media[index].attributes = description.media[index].attributes.map(began)
            description.media[index].attributes.removeAll { if case .rtcp = $0 { true } else { false } }
        }
        return description
    }

    // MARK: - Time and messages

    private mutating func send(_ message: PeerMessage, _ now: HostTime) {
        guard !channel.send(message.bytes, now: now) else { return }
        // Its own descriptions are short, and nobody waits for sixteen answers: the other side asks without end.
        if state != .ended { end(.lost) }
    }

    /// Time passes: what has no receipt is sent again, and the other side may have been silent for too long.
    public mutating func advance(to now: HostTime) {
        channel.advance(to: now)
        guard state != .ended else { return }
        if let limit, now >= limit {
            guard state == .connected else { return end(.noAnswer) }
            takeOfferBack(Self.unanswered)
        }
        if state == .connected, let since = channel.waitingSince,
            now >= since.advanced(byMilliseconds: Self.silenceMilliseconds)
        {
            end(.lost)
        }
    }

    /// When `advance` next has something to do; nil when it has not.
    public var nextDeadline: HostTime? {
        let times = [channel.nextDeadline, state == .ended ? nil : limit].compactMap(\.self)
        return times.min()
    }

    /// Datagrams of application data for the other side, oldest first.
    public mutating func takeDatagrams() -> [[UInt8]] { channel.takeDatagrams() }

    /// What happened, oldest first; nil when there is nothing more.
    public mutating func nextEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}
