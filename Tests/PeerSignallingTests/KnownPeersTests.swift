import PeerSignalling
import SecureRTP
import Testing

@Suite("Whom one knows, and by which words") struct KnownPeersTests {
    private let alice = LossyWire.fingerprint(0xa1)
    private let bob = LossyWire.fingerprint(0xb0)

    @Test("one who was called by a name is known by it, another key is a change, another name is unknown")
    func judged() {
        var known = KnownPeers()
        #expect(known.judge(called: "bob:9633", bob) == .unknown(otherNames: []))
        known.remember(.init(name: "bob:9633", fingerprint: bob, isPinned: false))
        #expect(known.judge(called: "bob:9633", bob) == .known)
        #expect(known.judge(called: "bob:9633", alice) == .changed(expected: bob))
        #expect(known.judge(called: "bob:9634", bob) == .unknown(otherNames: ["bob:9633"]))
        #expect(known.judge(caller: bob) == .known)
        #expect(known.judge(caller: alice) == .unknown(otherNames: []))
    }

    @Test("a name has one key, an address has as many callers as there are")
    func remembered() {
        var known = KnownPeers()
        for print in [alice, bob, bob] {
            known.remember(.init(name: "bob:9633", fingerprint: print, isPinned: false))
            known.remember(.init(name: "@192.0.2.7", fingerprint: print, isPinned: true))
        }
        #expect(known.entries.map(\.name).sorted() == ["@192.0.2.7", "@192.0.2.7", "bob:9633"])
        #expect(known.judge(called: "bob:9633", bob) == .known)
        #expect(known.forget("\(alice)").map(\.name) == ["@192.0.2.7"])
        #expect(known.forget("bob:9633").map(\.fingerprint) == [bob])
        #expect(known.forget("nobody").isEmpty)
        #expect(known.entries.count == 1)
    }

    @Test("strangers who call without end push each other out, nobody else, and leave a file that can be read")
    func full() throws {
        func print(_ number: Int) throws -> DTLSFingerprint {
            let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
            return try #require(DTLSFingerprint(.sha256, bytes))
        }
        var text = "bob:9633 \(bob) seen\n@192.0.2.7 \(alice) pinned\n"
        for number in 2..<KnownPeers.most {
            let caller = try print(number)
            text += "@198.51.100.1 \(caller) seen\n"
        }
        var known = try KnownPeers(parsing: text)
        #expect(known.entries.count == KnownPeers.most)
        for number in 20_000..<20_020 {
            let caller = try print(number)
            known.remember(.init(name: "@198.51.100.2", fingerprint: caller, isPinned: false))
        }
        #expect(try KnownPeers(parsing: known.text) == known)
        #expect(known.entries.count == KnownPeers.most)
        #expect(known.judge(called: "bob:9633", alice) == .changed(expected: bob))
        #expect(known.judge(caller: alice) == .known)
        #expect(try known.judge(caller: print(20_019)) == .known)
        #expect(try known.judge(caller: print(2)) != .known && known.judge(caller: print(22)) == .known)
    }

    @Test("the file says what was remembered, and reads back the same")
    func file() throws {
        var known = KnownPeers()
        known.remember(.init(name: "[2001:db8::1]:9633", fingerprint: alice, isPinned: false))
        known.remember(.init(name: "@192.0.2.7", fingerprint: bob, isPinned: true))
        #expect(try KnownPeers(parsing: known.text) == known)
        #expect(known.text.contains("@192.0.2.7 \(bob) pinned\n"))
        #expect(try KnownPeers(parsing: "").entries.isEmpty)
    }

    @Test(
        "a line that makes no sense is told with its number",
        arguments: ["bob sha-256", "bob sha-1 AA:BB seen", "bob sha-256 A1:B2 seen", "x", "bob \(LossyWire.one) perhaps"])
    func brokenFile(line: String) {
        #expect(throws: KnownPeersError(line: 2, reason: "no NAME sha-256 FINGERPRINT seen|pinned")) {
            try KnownPeers(parsing: "# first\n\(line)\n")
        }
    }

    @Test("a certificate is known by SHA-256 alone: a line with another hash is told, and so makes nobody an impostor")
    func otherHash() throws {
        let long = try #require(DTLSFingerprint(.sha384, (0..<48).map { UInt8($0) }))
        let error = #expect(throws: KnownPeersError.self) { try KnownPeers(parsing: "bob:9633 \(long) pinned\n") }
        #expect(error?.line == 1)
        #expect(error?.reason.contains("write sha-256") == true)
    }

    @Test("both ends have the same twelve words, another key has others")
    func words() throws {
        let words = try #require(SpokenWords.words(alice, bob))
        #expect(words.count == SpokenWords.count && SpokenWords.count * 8 >= 64)
        #expect(SpokenWords.words(bob, alice) == words)
        let others = try #require(SpokenWords.words(alice, LossyWire.fingerprint(3)))
        #expect(zip(words, others).filter { $0 == $1 }.count < 6)
    }

    @Test("there are 256 words, no two with the same first three letters")
    func wordList() {
        #expect(SpokenWords.list.count == 256)
        #expect(Set(SpokenWords.list.map { $0.prefix(3) }).count == 256)
        #expect(SpokenWords.list.allSatisfy { (3...9).contains($0.count) && $0.allSatisfy(\.isLowercase) })
    }
}
