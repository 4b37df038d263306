import SDP
import Testing

private let ours = Fingerprint(hashFunction: "sha-256", bytes: [UInt8](repeating: 0xAA, count: 32))
private let theirs = Fingerprint(hashFunction: "sha-256", bytes: [UInt8](repeating: 0xBB, count: 32))
private let others = Fingerprint(hashFunction: "sha-256", bytes: [UInt8](repeating: 0xCC, count: 32))

private func line(_ print: Fingerprint) -> String {
    let pair = print.bytes[0] == 0xBB ? "BB" : "CC"
    return "a=fingerprint:sha-256 " + Array(repeating: pair, count: 32).joined(separator: ":")
}

private let ourKey = CryptoAttribute(tag: 1, suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: MediaSecret("inline:ours"))
private let theirKey = "a=crypto:7 AES_CM_128_HMAC_SHA1_80 inline:theirs"

private func secured(
    _ mode: MediaSecurity.Mode, fingerprint: Fingerprint? = ours, keys: [CryptoAttribute] = []
) -> Negotiation {
    negotiation { $0.capabilities.security = MediaSecurity(mode: mode, fingerprint: fingerprint, keys: keys) }
}

/// Whether the line says so.
private func says(_ made: SessionDescription, _ text: String) -> Bool { made.lines(ofMedia: 0).contains(text) }

private func encryptionRow(_ made: Negotiation) -> NegotiationReceipt.Row? {
    made.receipt?.rows.first { $0.subject == .encryption }
}

@Suite("Encryption in offer and answer") struct SecurityTests {
    @Test(
        "an offer of DTLS is answered under its own profile; without a role of its own we begin",
        arguments: ["RTP/AVP", "RTP/AVPF", "RTP/SAVP", "RTP/SAVPF", "UDP/TLS/RTP/SAVP", "UDP/TLS/RTP/SAVPF"],
        [("actpass", true), ("active", false), ("passive", true)])
    func answersDTLS(profile: String, role: (offered: String, isActive: Bool)) throws {
        for mode in [MediaSecurity.Mode.optional, .required] {
            var made = secured(mode)
            let answer = try made.answer(
                try description("m=audio 5000 \(profile) 0", line(theirs), "a=setup:\(role.offered)"))
            #expect(answer.media[0].transport == profile)
            #expect(says(answer, "a=setup:\(role.isActive ? "active" : "passive")"))
            #expect(answer.text.contains("a=fingerprint:sha-256 AA:AA"))
            #expect(made.inForce?.security == .dtls(isActive: role.isActive, own: ours, theirs: [theirs]))
            #expect(encryptionRow(made)?.why == .agreed && encryptionRow(made)?.offered == "DTLS")
        }
    }

    @Test("fingerprint and role of the session hold for a line without; without any role the offerer begins")
    func sessionLevel() throws {
        let text =
            "v=0\r\no=- 1 1 IN IP4 192.0.2.10\r\ns=-\r\nc=IN IP4 192.0.2.10\r\nt=0 0\r\n\(line(theirs))\r\na=setup:actpass\r\n"
            + "m=audio 5000 UDP/TLS/RTP/SAVP 0\r\n"
        var made = secured(.required)
        _ = try made.answer(try SessionDescription(parsing: text))
        #expect(made.inForce?.security == .dtls(isActive: true, own: ours, theirs: [theirs]))
        made = secured(.required)
        _ = try made.answer(try description("m=audio 5000 UDP/TLS/RTP/SAVP 0", line(theirs)))
        #expect(made.inForce?.security == .dtls(isActive: false, own: ours, theirs: [theirs]))
    }

    @Test("required refuses a plain offer with a warning; optional takes it; off takes it and refuses secured profiles")
    func modes() throws {
        var made = secured(.required)
        let plain = try description("m=audio 5000 RTP/AVP 0")
        let error = #expect(throws: NegotiationError.self) { try made.answer(plain) }
        guard case .offerRefused(.unencrypted, _)? = error else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
        #expect(error?.warning?.code == 302)
        #expect(made.inForce == nil && made.phase == .idle)
        made = secured(.optional)
        let answer = try made.answer(plain)
        #expect(made.inForce?.security == nil && !answer.text.contains("fingerprint"))
        made = secured(.off)
        let offer = try description("m=audio 5000 RTP/AVP 0", line(theirs), "a=setup:actpass")
        let off = try made.answer(offer)
        #expect(made.inForce?.security == nil && !off.text.contains("fingerprint"))
        made = secured(.off)
        let best = try description("m=audio 5000 UDP/TLS/RTP/SAVP 0", line(theirs), "a=setup:actpass")
        #expect(throws: NegotiationError.self) { try made.answer(best) }
    }

    @Test(
        "fingerprints by hashes that are not safe, or cut short, and connections on hold are no encryption",
        arguments: [
            ["a=fingerprint:sha-1 AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD", "a=setup:actpass"],
            ["a=fingerprint:sha-256 AA:BB", "a=setup:actpass"], [line(theirs), "a=setup:holdconn"], ["a=setup:actpass", "a=x"],
        ])
    func unusable(lines: [String]) throws {
        var made = secured(.required)
        #expect(throws: NegotiationError.self) {
            try made.answer(try description("m=audio 5000 UDP/TLS/RTP/SAVP 0", lines[0], lines[1]))
        }
        made = secured(.optional)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", lines[0], lines[1]))
        #expect(made.inForce?.security == nil)
    }

    @Test("an offer: required is DTLS under its profile; optional asks under RTP/AVP (RFC 8643); off says nothing")
    func offers() throws {
        var made = secured(.required)
        var offer = try made.makeOffer()
        #expect(offer.media[0].transport == "UDP/TLS/RTP/SAVP" && says(offer, "a=setup:actpass"))
        made = secured(.optional)
        offer = try made.makeOffer()
        #expect(offer.media[0].transport == "RTP/AVP" && says(offer, "a=setup:actpass"))
        made = secured(.off)
        offer = try made.makeOffer()
        #expect(offer.media[0].transport == "RTP/AVP" && !offer.text.contains("a=setup"))
        made = secured(.required, fingerprint: nil)
        #expect(throws: NegotiationError.nothingToEncryptWith) { try made.makeOffer() }
    }

    @Test("the answer's role decides who begins", arguments: [("active", false), ("passive", true), ("actpass", true)])
    func answeredRole(answered: String, isActive: Bool) throws {
        var made = secured(.required)
        _ = try made.makeOffer()
        try made.receive(
            answer: try description("m=audio 5000 UDP/TLS/RTP/SAVP 0", line(theirs), "a=setup:\(answered)"))
        #expect(made.inForce?.security == .dtls(isActive: isActive, own: ours, theirs: [theirs]))
    }

    @Test("an answer without encryption: no call where it is required, a plain one where it is optional")
    func plainAnswer() throws {
        for profile in ["RTP/AVP", "UDP/TLS/RTP/SAVP"] {
            var made = secured(.required)
            _ = try made.makeOffer()
            let error = #expect(throws: NegotiationError.self) {
                try made.receive(answer: try description("m=audio 5000 \(profile) 0"))
            }
            guard case .answerUnusable(.unencrypted, _)? = error else {
                Issue.record("refused as \(String(describing: error))")
                return
            }
        }
        var made = secured(.optional)
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0"))
        #expect(made.inForce?.security == nil && encryptionRow(made)?.why == .notAnswered)
    }

    @Test("DTLS comes before keys in SDP; keys are taken where only they are offered, under the offer's tag")
    func keys() throws {
        var made = secured(.optional, keys: [ourKey])
        var answer = try made.answer(
            try description("m=audio 5000 RTP/SAVP 0", theirKey, line(theirs), "a=setup:actpass"))
        #expect(made.inForce?.security == .dtls(isActive: true, own: ours, theirs: [theirs]))
        #expect(!answer.text.contains("a=crypto"))
        made = secured(.required, keys: [ourKey])
        answer = try made.answer(
            try description("m=audio 5000 RTP/SAVP 0", "a=crypto:3 F8_128_HMAC_SHA1_80 inline:x", theirKey))
        #expect(says(answer, "a=crypto:7 AES_CM_128_HMAC_SHA1_80 inline:ours"))
        guard case .sdes(let own, let peer)? = made.inForce?.security else {
            Issue.record("\(String(describing: made.inForce?.security))")
            return
        }
        #expect(own.tag == 7 && peer.keyParameters.value == "inline:theirs")
        // Signalling that others can read: no keys of ours, and so none of theirs.
        made = secured(.optional)
        #expect(throws: NegotiationError.self) { try made.answer(try description("m=audio 5000 RTP/SAVP 0", theirKey)) }
        made = secured(.required, keys: [ourKey])
        #expect(throws: NegotiationError.self) {
            try made.answer(try description("m=audio 5000 UDP/TLS/RTP/SAVP 0", theirKey))
        }
    }

    @Test("keys are offered beside DTLS under RTP/AVP, and the one with the answer's tag protects")
    func offeredKeys() throws {
        var made = secured(.optional, keys: [ourKey])
        let offer = try made.makeOffer()
        #expect(says(offer, "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:ours") && says(offer, "a=setup:actpass"))
        try made.receive(
            answer: try description("m=audio 5000 RTP/AVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:theirs"))
        guard case .sdes(let own, _)? = made.inForce?.security else {
            Issue.record("\(String(describing: made.inForce?.security))")
            return
        }
        #expect(own == ourKey && encryptionRow(made)?.inForce == "SDES, AES_CM_128_HMAC_SHA1_80")
        let again = try made.makeOffer()
        #expect(says(again, "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:ours") && !again.text.contains("a=setup"))
    }

    @Test("a new offer of the same certificate keeps the roles, another certificate is a new association")
    func reoffered() throws {
        var made = secured(.optional)
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", line(theirs), "a=setup:active"))
        let same = SecurityInForce.dtls(isActive: false, own: ours, theirs: [theirs])
        #expect(made.inForce?.security == same)
        // Theirs, as a first offer would say it.
        let answer = try made.answer(
            try description("m=audio 5000 RTP/AVP 0", "a=sendonly", line(theirs), "a=setup:actpass", version: 2))
        #expect(made.inForce?.security == same && says(answer, "a=setup:passive"))
        // Ours names the role; the answer may repeat the first one it ever wrote.
        let offer = try made.makeOffer()
        #expect(says(offer, "a=setup:passive") && offer.media[0].transport == "RTP/AVP")
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", line(theirs), "a=setup:actpass", version: 3))
        #expect(made.inForce?.security == same)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", line(others), "a=setup:actpass", version: 4))
        #expect(made.inForce?.security == .dtls(isActive: true, own: ours, theirs: [others]))
    }

    @Test("an encrypted call does not become plain, whoever asks")
    func noDowngrade() throws {
        var made = secured(.optional)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", line(theirs), "a=setup:actpass"))
        let before = made.inForce
        #expect(throws: NegotiationError.self) { try made.answer(try description("m=audio 5000 RTP/AVP 0", version: 2)) }
        #expect(made.inForce == before)
        _ = try made.makeOffer()
        #expect(throws: NegotiationError.self) {
            try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", version: 3))
        }
        made.withdrawOffer()
        #expect(made.inForce == before)
    }

    @Test("keys stay out of what is printed of an agreement")
    func secrets() throws {
        var made = secured(.required, keys: [ourKey])
        _ = try made.answer(try description("m=audio 5000 RTP/SAVP 0", theirKey))
        var text = ""
        dump(made.inForce, to: &text)
        #expect(!text.contains("inline:") && !"\(made.receipt.map(\.description) ?? "")".contains("inline:"))
    }
}
