import Codecs
import Realtime

/// A browser's offer, and how the call is to be. Every value is resolved; nothing has been started yet.
public struct BrowserRequest: Sendable {
    /// The session description as it came.
    public var offer: [UInt8]
    /// What is answered, the most wanted first.
    public var codecs: [Codec]
    /// Sends back what is heard in place of the microphone.
    public var echoes = false
    /// The calls that the browser talks to; `nil`: it has an end of its own, as `echoes` and `media` say.
    public var bridge: CallBridge?
    /// The browser may be on this machine, and reached, or its relay, by loopback alone.
    public var isLocal = false
    public var media: MediaRequest

    public init(offer: [UInt8], codecs: [Codec], media: MediaRequest) {
        (self.offer, self.codecs, self.media) = (offer, codecs, media)
    }
}

/// A browser's call that has begun.
public struct BrowserConversation: Sendable {
    public let call: any LiveCall
    /// The session description for the browser.
    public let answer: String
    /// The calls that the browser is the handset of; `nil`: it is none.
    public let bridge: CallBridge?
    private let takeFragment: @Sendable ([UInt8]) throws(SoftphoneError) -> String?

    package init(
        call: any LiveCall, answer: String, bridge: CallBridge? = nil,
        takeFragment: @escaping @Sendable ([UInt8]) throws(SoftphoneError) -> String?
    ) {
        (self.call, self.answer, self.bridge, self.takeFragment) = (call, answer, bridge, takeFragment)
    }

    /// Takes candidates of the browser's that came after its offer (RFC 8840 section 9), or its restart of ICE, by other credentials.
    /// - Returns: a fragment with those of ours that came after the answer, and who we are after a restart; nil: nothing is new.
    /// - Throws: `SoftphoneError.request` for a fragment that cannot be used.
    public func trickle(_ fragment: [UInt8]) throws(SoftphoneError) -> String? { try takeFragment(fragment) }
}

extension Softphone {
    /// Answers a browser's offer: sockets, media and device run when this returns, and ICE is under way.
    /// - Throws: `SoftphoneError.request` for an offer that cannot be answered.
    public func answer(_ request: BrowserRequest) async throws(SoftphoneError) -> BrowserConversation {
        guard !request.codecs.isEmpty else { throw .request("there is no codec to answer with; choose one with --codec") }
        let place = try BrowserPlace(request)
        try await place.gather()
        let call: BrowserCall
        do throws(SoftphoneError) { call = try BrowserCall(request, at: place) } catch {
            // An offer that cannot be answered costs no allocation.
            place.link.close(now: .monotonicNow())
            throw error
        }
        let (answer, trickle) = (call.answerText, call.trickle)
        let running: RunningCall
        do { running = try RunningCall(call) } catch { throw .resources("\(error)") }
        return BrowserConversation(call: running, answer: answer, bridge: request.bridge) { (body) throws(SoftphoneError) in
            try trickle.take(body)
        }
    }
}
