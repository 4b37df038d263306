import Realtime
import SecureRTP
import Testing

@Suite("Secrets never print") struct SecretTests {
    @Test("in any way of printing, alone or inside of keys")
    func printing() throws {
        let bytes: [UInt8] = Array("correct horse battery staple!!".utf8)
        let secret = Secret(bytes)
        let key = try #require(SRTPMasterKey(suite: .aes128CM80, secret: secret))
        let keys = SRTPKeys(outbound: key, inbound: key)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(keys, to: &dumped)
        dump(SDESKey(key), to: &dumped)
        dump([secret], to: &dumped)
        let texts = [
            dumped, "\(secret)", String(reflecting: secret), "\(keys)", String(reflecting: keys), "\(SDESKey(key))",
            "\([secret])", "\(Optional(secret) as Any)",
        ]
        for text in texts {
            #expect(text.contains("***"))
            #expect(!text.contains("horse"))
            // Nor as numbers or base 64: 99, 111, 114 are its first bytes.
            #expect(!text.contains("99, 111") && !text.contains("- 99") && !text.contains("Y29y"))
        }
    }

    @Test("equal ones are equal, and others are not, wherever they differ")
    func equality() {
        let bytes = (0..<30).map { UInt8($0) }
        #expect(Secret(bytes) == Secret(bytes))
        #expect(Secret(bytes) != Secret(bytes.dropLast()))
        #expect(Secret([]) == Secret([]))
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(Secret(bytes) != Secret(other))
        }
    }

    @Test("the same seed makes the same key, and the system's generator another each time")
    func generation() {
        func key(_ seed: UInt64) -> SRTPMasterKey {
            var random = SplitMix64(seed: seed)
            return SRTPMasterKey(suite: .aeadAES256GCM, random: &random)
        }
        #expect(key(1) == key(1))
        #expect(key(1) != key(2))
        var system = SystemRandomNumberGenerator()
        #expect(
            SRTPMasterKey(suite: .aes128CM80, random: &system) != SRTPMasterKey(suite: .aes128CM80, random: &system))
    }
}
