import ICE
import Link
import Testing

@Suite("Candidates as text") struct CandidateTests {
    private func refusal(_ text: String) -> CandidateRefusal? {
        do throws(CandidateRefusal) {
            _ = try Candidate(parsing: text)
            return nil
        } catch { return error }
    }

    @Test(
        "lines of browsers and of RFC 8839 are read",
        arguments: [
            ("candidate:1 1 UDP 2130706431 203.0.113.141 8998 typ host", CandidateKind.host),
            ("2 1 udp 1694498815 192.0.2.3 45664 typ srflx raddr 203.0.113.141 rport 8998", .serverReflexive),
            (
                "842163049 1 udp 1677729535 2001:db8::3 46154 typ srflx raddr :: rport 0 generation 0 ufrag EEtu network-cost 999",
                .serverReflexive
            ),
            ("a+/9 1 UDP 1 192.0.2.3 9 typ prflx", .peerReflexive),
            ("3 1 UDP 16777215 192.0.2.3 9 typ relay raddr 192.0.2.9 rport 10", .relayed),
        ])
    func read(text: String, kind: CandidateKind) throws {
        let candidate = try Candidate(parsing: text)
        #expect(candidate.kind == kind)
        #expect(try Candidate(parsing: candidate.text) == candidate)
    }

    @Test("the user fragment that a trickled line belongs to is kept")
    func userFragment() throws {
        let candidate = try Candidate(parsing: "1 1 udp 1 192.0.2.3 9 typ host generation 0 ufrag EEtu network-id 1")
        #expect(candidate.userFragment == "EEtu")
        #expect(candidate.text.hasSuffix(" ufrag EEtu"))
    }

    @Test(
        "what cannot be used is refused with its reason",
        arguments: [
            ("", CandidateRefusal.malformed), ("1 1 UDP 1 192.0.2.3 9 typ", .malformed),
            ("1 1 UDP 1 192.0.2.3 9 typ host x", .malformed),
            ("1 1 UDP 0 192.0.2.3 9 typ host", .malformed), ("1 1 UDP 4294967296 192.0.2.3 9 typ host", .malformed),
            ("1 1 UDP 1 192.0.2.3 65536 typ host", .malformed), ("1 1 UDP 1 192.0.2.3 9 typ best", .malformed),
            ("1 0 UDP 1 192.0.2.3 9 typ host", .malformed), ("1 2 UDP 1 192.0.2.3 9 typ host", .component),
            ("1 1 TCP 1 192.0.2.3 9 typ host tcptype active", .transport),
            ("1 1 UDP 1 5b3dd2d6-90a1-4f95-a9ad-2e3e29a2d4a7.local 9 typ host", .name),
            (String(repeating: "1 1 ", count: 300), .malformed),
        ])
    func refused(text: String, reason: CandidateRefusal) {
        #expect(refusal(text) == reason)
    }

    @Test("credentials have the lengths of RFC 8839, and no blanks or colons")
    func credentials() {
        let password = String(repeating: "p", count: 22)
        #expect(ICECredentials(userFragment: "abcd", password: password) != nil)
        #expect(ICECredentials(userFragment: "abc", password: password) == nil)
        #expect(ICECredentials(userFragment: "abcd", password: String(password.dropLast())) == nil)
        #expect(ICECredentials(userFragment: "ab:d", password: password) == nil)
        #expect(ICECredentials(userFragment: "ab d", password: password) == nil)
        #expect(ICECredentials(userFragment: String(repeating: "u", count: 257), password: password) == nil)
    }
}
