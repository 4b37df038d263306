import Realtime
import SecureRTP
import Testing

@Suite("SRTP packets have the bytes that the standards say") struct SRTPVectorTests {
    private static let phrase = "47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070 61727465 73207472 6573"
    private static let quidProQuo = hex("51756964 2070726f 2071756f")

    @Test("the reference derives the session keys of RFC 3711 appendix B.3")
    func derivation() {
        let session = ReferenceSRTP.derive(
            master: hex("E1F97A0D3E018BE0D64FA32C06DE4139"), salt: hex("0EC675AD498AFEEBB6960B3AABE6"), firstLabel: 0)
        #expect(session.cipher == hex("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(session.salt == hex("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(session.authentication == hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    }

    @Test("the reference makes the RTP packets of RFC 7714 section 16")
    func galoisRTP() {
        let plain = hex("8040f17b 8041f8d3 5501a0b2" + Self.phrase)
        let short = ReferenceSRTP.Session(cipher: (0..<16).map { $0 }, salt: Self.quidProQuo, authentication: [])
        let long = ReferenceSRTP.Session(cipher: (0..<32).map { $0 }, salt: Self.quidProQuo, authentication: [])
        #expect(
            ReferenceSRTP.galoisRTP(plain, rollover: 0, short)
                == hex(
                    """
                    8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a
                    51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce
                    """))
        #expect(
            ReferenceSRTP.galoisRTP(plain, rollover: 0, long)
                == hex(
                    """
                    8040f17b 8041f8d3 5501a0b2 32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02
                    76ffae0f 1ba63799 b87b7aa3 db36dfff d6b0f9bb 7878d7a7 6c13
                    """))
    }

    @Test("the reference makes the RTCP packet of RFC 7714 section 17")
    func galoisRTCP() {
        let plain = hex(
            """
            81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61
            deadbeef deadbeef deadbeef deadbeef deadbeef
            """)
        let session = ReferenceSRTP.Session(cipher: (0..<16).map { $0 }, salt: Self.quidProQuo, authentication: [])
        #expect(
            ReferenceSRTP.galoisRTCP(plain, index: 0x5d4, session)
                == hex(
                    """
                    81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda
                    4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4
                    """))
    }

    @Test("a packet under the master key of RFC 3711 appendix B.3 is what libsrtp publishes")
    func published() throws {
        let secret = Secret(hex("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6"))
        let key = try #require(SRTPMasterKey(suite: .aes128CM80, secret: secret))
        let end = try SRTPEnd(SRTPKeys(outbound: key, inbound: key))
        let plain = hex("800f1234 decafbad cafebabe" + String(repeating: "ab", count: 16))
        #expect(
            end.protect(plain) == hex("800f1234 decafbad cafebabe 4e55dc4c e79978d8 8ca4d215 949d2402 b78d6acc 99ea179b 8dbb"))
    }

    @Test(
        "each suite's RTP and RTCP packets are the reference's, also after the sequence number wraps",
        arguments: SRTPSuite.allCases)
    func agreesWithReference(suite: SRTPSuite) throws {
        var random = SplitMix64(seed: 7711)
        let bytes = (0..<suite.keyLength + suite.saltLength).map { _ in UInt8.random(in: 0...255, using: &random) }
        let key = try #require(SRTPMasterKey(suite: suite, secret: Secret(bytes)))
        let end = try SRTPEnd(SRTPKeys(outbound: key, inbound: key))
        let (master, salt) = (Array(bytes.prefix(suite.keyLength)), Array(bytes.suffix(suite.saltLength)))
        let media = ReferenceSRTP.derive(master: master, salt: salt, firstLabel: 0)
        let control = ReferenceSRTP.derive(master: master, salt: salt, firstLabel: 3)
        let isGalois = suite == .aeadAES128GCM || suite == .aeadAES256GCM
        for (number, sequence) in [65_534, 65_535, 65_536, 65_540].enumerated() {
            let plain = rtp(sequence, length: 160)
            let rollover = UInt32(sequence >> 16)
            let expected =
                isGalois
                ? ReferenceSRTP.galoisRTP(plain, rollover: rollover, media)
                : ReferenceSRTP.counterModeRTP(plain, rollover: rollover, media, tag: suite.tagLength)
            #expect(end.protect(plain) == expected, "packet \(sequence)")
            let report = rtcp(UInt8(number))
            let index = UInt32(number + 1)
            let expectedReport =
                isGalois
                ? ReferenceSRTP.galoisRTCP(report, index: index, control)
                : ReferenceSRTP.counterModeRTCP(report, index: index, control)
            #expect(end.protect(report, .control) == expectedReport, "report \(number)")
        }
    }
}
