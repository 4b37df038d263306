import Link
import SDP
import SecureRTP
import Signalling
import Testing

private func fingerprint(_ byte: UInt8) -> DTLSFingerprint? {
    DTLSFingerprint(.sha256, [UInt8](repeating: byte, count: 32))
}

private func phone(_ mode: MediaSecurity.Mode) throws -> Phone { try Phone { $0.encryption = mode } }

/// Calls with a certificate each, and waits for both agreements.
private func agree(_ left: Phone, _ right: Phone) async throws -> (MediaEncryption?, MediaEncryption?) {
    _ = left.call(right, ports: LocalPorts(port: 40_000, fingerprint: fingerprint(1)))
    let (call, _) = try await right.incoming()
    right.signalling.prepare(call, media: LocalPorts(port: 41_000, fingerprint: fingerprint(2)))
    right.signalling.answer(call)
    try await left.answered()
    return (try await left.agreement().encryption, try await right.agreement().encryption)
}

@Suite("Encryption of calls by SIP")
struct EncryptionTests {
    @Test(
        "both sides know the other's certificate, and the answerer begins",
        arguments: [(MediaSecurity.Mode.optional, MediaSecurity.Mode.optional), (.required, .optional), (.optional, .required)])
    func agreed(modes: (left: MediaSecurity.Mode, right: MediaSecurity.Mode)) async throws {
        try await withPhones(phone(modes.left), phone(modes.right)) { left, right in
            let (ours, theirs) = try await agree(left, right)
            let (one, two) = (try #require(fingerprint(1)), try #require(fingerprint(2)))
            #expect(ours == .dtls(.passive, peer: [two]))
            #expect(theirs == .dtls(.active, peer: [one]))
        }
    }

    @Test(
        "optional and off is a plain call",
        arguments: [(MediaSecurity.Mode.optional, MediaSecurity.Mode.off), (.off, .optional)])
    func plain(modes: (left: MediaSecurity.Mode, right: MediaSecurity.Mode)) async throws {
        try await withPhones(phone(modes.left), phone(modes.right)) { left, right in
            let (ours, theirs) = try await agree(left, right)
            #expect(ours == nil && theirs == nil)
        }
    }

    @Test(
        "required and off is 488, without ringing",
        arguments: [(MediaSecurity.Mode.required, MediaSecurity.Mode.off), (.off, .required)])
    func refused(modes: (left: MediaSecurity.Mode, right: MediaSecurity.Mode)) async throws {
        try await withPhones(phone(modes.left), phone(modes.right)) { left, right in
            _ = left.call(right, ports: LocalPorts(port: 40_000, fingerprint: fingerprint(1)))
            let ending = try await left.ended()
            #expect(ending.reason == .noCommonMedia && ending.sipCode == 488)
            let rang = left.events.contains { if case .progress(_, let told) = $0 { told.sipCode == 180 } else { false } }
            #expect(!rang)
            #expect(try await right.ended().sipCode == 488)
        }
    }

    @Test("keys are not put into SDP that others can read")
    func noKeys() async throws {
        try await withPhones(phone(.optional), phone(.optional)) { left, right in
            _ = left.call(right)
            let (call, _) = try await right.incoming()
            right.signalling.prepare(call, media: LocalPorts(port: 41_000))
            right.signalling.answer(call)
            try await left.answered()
            #expect(try await left.agreement().encryption == nil)
        }
    }

    @Test("a call may want otherwise than the configuration")
    func byCall() async throws {
        try await withPhones(phone(.required), phone(.off)) { left, right in
            _ = left.signalling.invite(
                OutgoingCall(target: right.uri(), encryption: .off, media: LocalPorts(port: 40_000)))
            let (call, _) = try await right.incoming()
            right.signalling.prepare(call, media: LocalPorts(port: 41_000))
            right.signalling.answer(call)
            try await left.answered()
        }
    }

    @Test("a hold keeps the association")
    func held() async throws {
        try await withPhones(phone(.optional), phone(.optional)) { left, right in
            let out = left.call(right, ports: LocalPorts(port: 40_000, fingerprint: fingerprint(1)))
            let (call, _) = try await right.incoming()
            right.signalling.prepare(call, media: LocalPorts(port: 41_000, fingerprint: fingerprint(2)))
            right.signalling.answer(call)
            try await left.answered()
            try await right.answered()
            left.signalling.hold(out, true)
            try await right.held(byUs: false, byPeer: true)
            try await left.held(byUs: true, byPeer: false)
            right.signalling.hold(call, true)
            try await left.held(byUs: true, byPeer: true)
            try await right.held(byUs: true, byPeer: true)
            for phone in [left, right] {
                let all = phone.events.compactMap { event -> MediaEncryption? in
                    if case .negotiated(_, let media) = event { media.agreement?.encryption } else { nil }
                }
                #expect(all.count >= 3 && Set(all).count == 1)
            }
        }
    }
}
