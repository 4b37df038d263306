import Realtime
import SecureRTP
import Testing

private let sample = "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"

private let refusals: [(String, String, [String], SDESError)] = [
    ("F8_128_HMAC_SHA1_80", sample, [], .unknownSuite("F8_128_HMAC_SHA1_80")),
    ("", sample, [], .unknownSuite("")),
    ("AES_256_CM_HMAC_SHA1_80", sample, [], .badKey),
    ("AEAD_AES_128_GCM", sample, [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", "inline:", [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", "", [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", "outline:" + sample.dropFirst(7), [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", sample.dropLast() + "*", [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", sample + "==", [], .badKey),
    ("AES_CM_128_HMAC_SHA1_80", sample + ";" + sample, [], .severalKeys),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|2^99", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|0", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|1:4|2^20", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|1:129", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|256:1", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|99999999999999999999:4", [], .badParameter),
    ("AES_CM_128_HMAC_SHA1_80", sample + "|2^20|1:4|x", [], .badKey),
    ("AES_CM_128_HMAC_SHA1_32", sample + "|1:4", [], .identifierWithSuite(.aes128CM32)),
    ("AES_CM_128_HMAC_SHA1_80", sample, ["UNENCRYPTED_SRTCP"], .refusedParameter("UNENCRYPTED_SRTCP")),
    ("AES_CM_128_HMAC_SHA1_80", sample, ["UNENCRYPTED_SRTP"], .refusedParameter("UNENCRYPTED_SRTP")),
    ("AES_CM_128_HMAC_SHA1_80", sample, ["UNAUTHENTICATED_SRTP"], .refusedParameter("UNAUTHENTICATED_SRTP")),
    ("AES_CM_128_HMAC_SHA1_80", sample, ["KDR=3"], .refusedParameter("KDR")),
]

@Suite("Keys in session descriptions (RFC 4568)") struct SDESKeyTests {
    @Test("the example of the standard is read, with and without its parameters")
    func example() throws {
        let plain = try SDESKey(suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: sample)
        #expect(plain.key.secret == Secret(Array("YS___semctl () {\t220;}\n}\nunles".utf8)))
        #expect(plain.key.identifier.isEmpty)
        let full = try SDESKey(
            suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: sample + "|2^20|1:4", sessionParameters: ["WSH=64", "KDR=0"])
        #expect(full.key.identifier == [0, 0, 0, 1])
        #expect(full.key.secret == plain.key.secret)
        #expect(full.keyParameters == sample + "|1:4")
        let identifierOnly = try SDESKey(suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: sample + "|513:2")
        #expect(identifierOnly.key.identifier == [2, 1])
        let lifetimeOnly = try SDESKey(suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: sample + "|1048576")
        #expect(lifetimeOnly.key.identifier.isEmpty)
    }

    @Test("what is printed reads back as the same key, also where a peer leaves the padding out", arguments: SRTPSuite.allCases)
    func roundTrip(suite: SRTPSuite) throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<50 {
            let key = SRTPMasterKey(suite: suite, random: &random)
            let printed = SDESKey(key)
            let read = try SDESKey(suite: printed.suite, keyParameters: printed.keyParameters)
            #expect(read.key == key)
            let bare = String(printed.keyParameters.prefix { $0 != "=" })
            #expect(try SDESKey(suite: printed.suite, keyParameters: bare).key == key)
        }
    }

    @Test(
        "nonsense is refused with a reason that does not tell the key",
        arguments: refusals)
    func refused(suite: String, keys: String, parameters: [String], reason: SDESError) {
        #expect(throws: reason) { try SDESKey(suite: suite, keyParameters: keys, sessionParameters: parameters) }
        #expect(!reason.description.contains("WVNf"))
    }

    @Test("mutations of a good line are read or refused, never more")
    func mutations() {
        let seed: UInt64 = 12
        var random = SplitMix64(seed: seed)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = Array((sample + "|2^20|1:4").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(ascii: "0") + UInt8.random(in: 0...12, using: &random), at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let key = try? SDESKey(suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: text) else { continue }
            read += 1
            #expect(key.key.secret.count == 30, "seed \(seed): \(text)")
        }
        #expect(read > 0 && read < 20_000, "seed \(seed)")
    }
}
