import Codecs
import Reporting
import Settings
import Softphone
import TestPrograms
import Testing

/// Two of us on loopback: one waits and answers, the other calls it.
private struct TwoPhones {
    let listener: SIPPhone
    let callee: Followed
    let phone: SIPPhone
    let caller: Followed

    init(listening: AccountEncryption?, calling: AccountEncryption?) throws {
        let media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        let uri = "sip:127.0.0.1:\(try freePort())"
        var waits = SIPRequest(.listen(uri), codecs: [.pcmu], media: media)
        (waits.encryption, waits.answersByItself) = (listening, true)
        var calls = SIPRequest(.call(uri), codecs: [.pcmu], media: media)
        calls.encryption = calling
        listener = try Softphone().connect(waits)
        callee = try Followed(of: try listener.nextCall(waits))
        phone = try Softphone().connect(calls)
        caller = try Followed(of: try phone.nextCall(calls))
    }

    var sides: [Followed] { [caller, callee] }

    func close() -> [CallReport] {
        let reports = sides.flatMap { $0.close() }
        phone.close()
        listener.close()
        return reports
    }
}

@Suite("Encrypted calls by SIP", .serialized) struct SIPEncryptionTests {
    @Test("without a word voices are encrypted, told with suite and certificate, and reported; a hold changes nothing")
    func encrypted() throws {
        let phones = try TwoPhones(listening: nil, calling: nil)
        for side in phones.sides {
            try side.wait("it is encrypted and heard") {
                $0.types.contains("secured") && ($0.call.statistics(of: 0).packetsReceived ?? 0) > 10
            }
        }
        phones.caller.call.setHeld(true)
        try phones.callee.wait("held") { $0.types.contains("call_held") }
        try phones.caller.wait("held") { $0.types.contains("call_held") }
        phones.caller.call.setHeld(false)
        try phones.callee.wait("resumed") { $0.types.contains("call_resumed") }
        try phones.caller.wait("resumed") { $0.types.contains("call_resumed") }
        for side in phones.sides {
            let before = side.call.statistics(of: 0).packetsReceived ?? 0
            try side.wait("heard again") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > before + 20 }
        }
        phones.caller.call.hangUp(byDuration: false)
        for side in phones.sides { try side.wait("the end") { $0.types.contains("call_ended") } }
        let fingerprints = phones.sides.compactMap { side -> String? in
            #expect(side.types.filter { $0 == "secured" }.count == 1 && side.types.filter { $0 == "call_started" }.count == 1)
            for event in side.events {
                if case .secured("AEAD_AES_256_GCM", "dtls_srtp", let fingerprint) = event.body { return fingerprint }
            }
            return nil
        }
        #expect(Set(fingerprints).count == 2, "each side has a certificate of its own: \(fingerprints)")
        let reports = phones.close()
        #expect(reports.count == 2)
        for report in reports {
            #expect(report.requested["srtp"] == "optional" && report.effective["srtp"] == "dtls_srtp")
            #expect(report.statistics.srtp?.suite == "AEAD_AES_256_GCM" && report.statistics.srtp?.failed == 0)
        }
    }

    @Test("where one side does not want it an optional call is plain, and says so")
    func plain() throws {
        let phones = try TwoPhones(listening: .off, calling: .optional)
        for side in phones.sides {
            try side.wait("it is heard") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > 10 }
            #expect(!side.types.contains("secured"))
        }
        let reports = phones.close()
        #expect(reports.map { $0.effective["srtp"] } == ["none", "none"])
        #expect(reports.map { $0.requested["srtp"] } == ["optional", "off"])
        #expect(reports.allSatisfy { $0.statistics.srtp == nil })
    }

    @Test(
        "required and refused is no call, with the reason",
        arguments: [(AccountEncryption.off, AccountEncryption.required), (.required, .off)])
    func refused(modes: (listening: AccountEncryption, calling: AccountEncryption)) throws {
        let phones = try TwoPhones(listening: modes.listening, calling: modes.calling)
        for (side, mode) in zip(phones.sides, [modes.calling, modes.listening]) {
            try side.wait("the end") { $0.types.contains("call_ended") }
            #expect(side.call.endReason(of: 0) == .refused)
            #expect(!side.types.contains("call_started") && !side.types.contains("call_answered"))
            let explained = side.events.contains {
                guard case .callEnded(_, _, 488, let text) = $0.body else { return false }
                return mode == .off || text?.contains("encrypted media are required") == true
            }
            #expect(explained, "\(side.events.last.map { "\($0)" } ?? "")")
        }
        _ = phones.close()
    }
}
