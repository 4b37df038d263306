import SDP

/// Session descriptions: read, written and read again as the same, taken as offers and as answers, in any order.
///
/// An input is a byte of choice and texts that are parted by zero bytes.
enum SDPFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        guard let choice = input.first else { return }
        let texts = input.dropFirst().split(separator: 0, maxSplits: 7)
        var sides = [negotiation(choice, "192.0.2.1"), negotiation(choice >> 1, "2001:db8::2")]
        for (round, text) in texts.enumerated() {
            let body = Array(text)
            let side = Int(choice >> 4) + round & 1
            guard let read = try? SessionDescription(parsing: body) else { continue }
            guard let again = try? SessionDescription(parsing: read.bytes), again.bytes == read.bytes else {
                fatalError("not read as it was written: \(read.text.debugDescription)")
            }
            take(read, &sides[side & 1], isAnswer: round & 2 != 0)
        }
        together(&sides)
    }

    private static func negotiation(_ choice: UInt8, _ address: String) -> Negotiation {
        var opus = OpusParameters()
        opus.inbandFEC = true
        var capabilities = AudioCapabilities(codecs: [
            .opus(parameters: opus, bitRate: 24_000, redundancy: 2), .g722, .pcmu, .pcma,
        ])
        capabilities.preference = choice & 1 != 0 ? .own : .offerer
        capabilities.answersWithOneCodec = choice & 4 != 0
        let fingerprint = Fingerprint(hashFunction: "sha-256", bytes: [UInt8](repeating: choice, count: 32))
        capabilities.security = MediaSecurity(
            mode: MediaSecurity.Mode.allCases[Int(choice & 3) % 3], fingerprint: choice & 8 != 0 ? fingerprint : nil,
            keys: [
                CryptoAttribute(
                    tag: 1, suite: "AES_CM_128_HMAC_SHA1_80",
                    keyParameters: MediaSecret("inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"))
            ])
        var local = LocalMedia(address: address, port: 40_000)
        if choice & 16 != 0 {
            local.ice = LocalICE(
                ICEDescription(
                    ICEIdentity(userFragment: "abcd", password: MediaSecret("abcdabcdabcdabcdabcdab")),
                    candidates: [
                        ICECandidate(foundation: "1", priority: 2_130_706_431, address: address, port: 40_000, type: "host")
                    ]), isOffered: choice & 32 != 0,
                next: ICEIdentity(userFragment: "efgh", password: MediaSecret("efghefghefghefghefghef")))
        }
        return Negotiation(capabilities: capabilities, local: local, sessionID: 4000)
    }

    private static func take(_ description: SessionDescription, _ side: inout Negotiation, isAnswer: Bool) {
        if isAnswer {
            _ = try? side.makeOffer()
            if (try? side.receive(answer: description)) == nil { side.withdrawOffer() }
        } else if let answer = try? side.answer(description) {
            precondition(answer.media.count == description.media.count, "an answer has the lines of its offer")
            precondition((try? SessionDescription(parsing: answer.bytes)) == answer, "our answer is not read as it was written")
        }
        _ = side.receipt?.description
        _ = side.receivableWhileOffered
        if let audio = side.inForce {
            precondition(audio.line < (side.offered?.media.count ?? 0), "a line that nobody offered")
        }
    }

    /// Whatever went before, both sides still agree with each other or say why not.
    private static func together(_ sides: inout [Negotiation]) {
        guard let offer = try? sides[0].makeOffer() else { return }
        guard let read = try? SessionDescription(parsing: offer.bytes), read == offer else {
            fatalError("our offer is not read as it was written: \(offer.text.debugDescription)")
        }
        guard sides[1].phase != .offered, let answer = try? sides[1].answer(read) else { return }
        do throws(NegotiationError) {
            try sides[0].receive(answer: answer)
        } catch {
            sides[0].withdrawOffer()
            _ = "\(error)"
        }
    }
}
