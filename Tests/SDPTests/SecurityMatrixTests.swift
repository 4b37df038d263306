import Link
import SDP
import Testing

/// Which ways to keys a side has: certificates, and signalling that may carry keys.
private struct Ways: CustomStringConvertible {
    let hasDTLS: Bool
    let hasKeys: Bool
    var description: String { [hasDTLS ? "DTLS" : nil, hasKeys ? "keys" : nil].compactMap(\.self).joined(separator: "+") }

    static let all = [
        Ways(hasDTLS: true, hasKeys: true), Ways(hasDTLS: true, hasKeys: false), Ways(hasDTLS: false, hasKeys: true),
    ]
}

private func security(_ mode: MediaSecurity.Mode, _ ways: Ways, _ byte: UInt8) -> MediaSecurity {
    let suites = ["AEAD_AES_256_GCM", "AES_CM_128_HMAC_SHA1_80"]
    let keys = suites.enumerated().map { index, suite in
        CryptoAttribute(
            tag: UInt32(index + 1), suite: suite, keyParameters: MediaSecret("inline:of-\(byte)-in-\(index)"))
    }
    return MediaSecurity(
        mode: mode,
        fingerprint: ways.hasDTLS ? Fingerprint(hashFunction: "sha-256", bytes: [UInt8](repeating: byte, count: 32)) : nil,
        keys: ways.hasKeys ? keys : [])
}

private enum Outcome: String {
    case plain, dtls, keys, refused

    init(_ security: SecurityInForce?) {
        switch security {
        case .dtls: self = .dtls
        case .sdes: self = .keys
        case nil: self = .plain
        }
    }
}

/// One call, made anew after each refusal as a user agent does it; the two sides as they end up.
private struct Trial {
    var outcome = Outcome.refused
    var attempts: [SecurityAttempt] = []
    var sides: (caller: Negotiation, callee: Negotiation)?

    init(_ wanted: MediaSecurity, _ callee: (SessionDescription) throws -> (Negotiation?, SessionDescription)) throws {
        var attempt: SecurityAttempt? = .asWanted
        while let now = attempt {
            attempts.append(now)
            var caller = negotiation { $0.capabilities.security = wanted.narrowed(to: now) }
            let offer = try caller.makeOffer()
            do {
                let (other, answer) = try callee(offer)
                try caller.receive(answer: answer)
                outcome = Outcome(caller.inForce?.security)
                if let other { sides = (caller, other) }
                return
            } catch is NegotiationError {
                attempt = wanted.next(after: now)
            } catch is Refused {
                attempt = wanted.next(after: now)
            }
        }
    }
}

/// A callee's 488.
private struct Refused: Error {}

private let modes = MediaSecurity.Mode.allCases

@Suite("Off, optional and required against each other") struct SecurityMatrixTests {
    /// What two sides should come to.
    private func expected(
        _ caller: (mode: MediaSecurity.Mode, ways: Ways), _ callee: (mode: MediaSecurity.Mode, ways: Ways)
    ) -> Outcome {
        if caller.mode != .off, callee.mode != .off {
            if caller.ways.hasDTLS, callee.ways.hasDTLS { return .dtls }
            if caller.ways.hasKeys, callee.ways.hasKeys { return .keys }
        }
        return caller.mode == .required || callee.mode == .required ? .refused : .plain
    }

    @Test(
        "encrypted wherever both can, DTLS before keys; plain only where nobody must; both sides see the same",
        arguments: modes, modes)
    func ours(calling: MediaSecurity.Mode, called: MediaSecurity.Mode) throws {
        for ours in Ways.all {
            for theirs in Ways.all {
                let trial = try Trial(security(calling, ours, 0xAA)) { offer in
                    var callee = negotiation(address: "192.0.2.10") {
                        $0.capabilities.security = security(called, theirs, 0xBB)
                    }
                    let answer = try callee.answer(offer)
                    return (callee, answer)
                }
                let wanted = expected((calling, ours), (called, theirs))
                #expect(trial.outcome == wanted, "\(calling) \(ours) calls \(called) \(theirs), tried \(trial.attempts)")
                guard let (caller, callee) = trial.sides else { continue }
                agree(caller.inForce?.security, callee.inForce?.security)
                try holds(caller, callee)
                try holds(callee, caller)
            }
        }
    }

    /// One begins the handshake and the other does not; each side's keys are the other one's.
    private func agree(_ left: SecurityInForce?, _ right: SecurityInForce?) {
        switch (left, right) {
        case (nil, nil): break
        case (.dtls(let one, let ownLeft, let toRight)?, .dtls(let other, let ownRight, let toLeft)?):
            #expect(one != other && toRight == [ownRight] && toLeft == [ownLeft])
        case (.sdes(let ownLeft, let toRight)?, .sdes(let ownRight, let toLeft)?):
            #expect(ownLeft == toLeft && ownRight == toRight && ownLeft.tag == ownRight.tag && ownLeft.suite == ownRight.suite)
        default: Issue.record("one side is encrypted otherwise than the other: \(String(describing: (left, right)))")
        }
    }

    /// A hold by `left` leaves the encryption of both as it is, however the first offer had to be made.
    private func holds(_ left: Negotiation, _ right: Negotiation) throws {
        var (left, right) = (left, right)
        let before = (left.inForce?.security, right.inForce?.security)
        for direction in [MediaDirection.sendOnly, .sendReceive] {
            left.local.direction = direction
            let offer = try left.makeOffer()
            try left.receive(answer: try right.answer(offer))
            #expect(left.inForce?.security == before.0 && right.inForce?.security == before.1)
        }
    }

    /// Answers under the offer's profile by the first of its `lines` that is of one kind.
    private func answer(_ offer: SessionDescription, with lines: [String]) throws -> SessionDescription {
        let line = offer.media[0]
        let formats = line.formats.contains("0") ? "0" : line.formats[0]
        return try SessionDescription(
            parsing: (["v=0", "o=- 2 2 IN IP4 192.0.2.10", "s=-", "c=IN IP4 192.0.2.10", "t=0 0"]
                + ["m=audio 5000 \(line.transport) \(formats)"] + lines).joined(separator: "\r\n") + "\r\n")
    }

    @Test(
        "a callee that takes keys under RTP/SAVP only gets them",
        arguments: [
            (MediaSecurity.Mode.optional, [SecurityAttempt.asWanted, .dtls, .keys], "keys"),
            (.required, [.asWanted, .keys], "keys"),
            (.off, [.asWanted], "refused"),
        ])
    func onlyKeys(mode: MediaSecurity.Mode, attempts: [SecurityAttempt], outcome: String) throws {
        let trial = try Trial(security(mode, Ways.all[0], 0xAA)) { offer in
            guard offer.media[0].transport == "RTP/SAVP", offer.text.contains("a=crypto:2 AES_CM_128_HMAC_SHA1_80") else {
                throw Refused()
            }
            return (nil, try answer(offer, with: ["a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:theirs"]))
        }
        #expect(trial.outcome.rawValue == outcome && trial.attempts == attempts)
    }

    @Test(
        "a callee that takes the profile of DTLS only gets it, with no keys beside",
        arguments: [MediaSecurity.Mode.optional, .required])
    func onlyDTLS(mode: MediaSecurity.Mode) throws {
        let print = Array(repeating: "CC", count: 32).joined(separator: ":")
        let trial = try Trial(security(mode, Ways.all[0], 0xAA)) { offer in
            guard offer.media[0].transport == "UDP/TLS/RTP/SAVP" else { throw Refused() }
            #expect(!offer.text.contains("a=crypto"))
            return (nil, try answer(offer, with: ["a=fingerprint:sha-256 \(print)", "a=setup:active"]))
        }
        #expect(trial.outcome == .dtls)
        #expect(trial.attempts == (mode == .optional ? [.asWanted, .dtls] : [.asWanted]))
    }

    @Test(
        "a callee that refuses whatever it does not know gets a plain offer at last, unless encryption is a must",
        arguments: modes)
    func onlyPlain(mode: MediaSecurity.Mode) throws {
        let trial = try Trial(security(mode, Ways.all[0], 0xAA)) { offer in
            guard !offer.text.contains("a=fingerprint"), !offer.text.contains("a=crypto") else { throw Refused() }
            return (nil, try answer(offer, with: []))
        }
        #expect(trial.outcome == (mode == .required ? .refused : .plain))
        #expect(trial.attempts.last == (mode == .optional ? .plain : mode == .required ? .keys : .asWanted))
    }

    @Test("no attempt comes twice, each ends somewhere, and without certificate and keys there is one")
    func attempts() {
        for mode in modes {
            for ways in Ways.all + [Ways(hasDTLS: false, hasKeys: false)] {
                let wanted = security(mode, ways, 1)
                var seen: [SecurityAttempt] = []
                var next: SecurityAttempt? = .asWanted
                while let attempt = next {
                    #expect(!seen.contains(attempt))
                    seen.append(attempt)
                    next = wanted.next(after: attempt)
                }
                #expect(
                    seen.contains(.plain) == (mode == .optional && (ways.hasDTLS || ways.hasKeys)), "\(mode) \(ways): \(seen)")
                if mode == .off || (!ways.hasDTLS && !ways.hasKeys) { #expect(seen == [.asWanted]) }
            }
        }
    }
}
