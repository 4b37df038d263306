import SecureRTP
import Testing

@Suite("Fingerprints of certificates (RFC 8122)") struct DTLSFingerprintTests {
    private static let digits = (0..<32).map { "0" + String($0 % 16, radix: 16) }

    @Test("are read in any case, and printed as the standard has them")
    func text() throws {
        let text = Self.digits.joined(separator: ":")
        let fingerprint = try #require(DTLSFingerprint("SHA-256 " + text))
        #expect(fingerprint.bytes == (0..<32).map { UInt8($0 % 16) })
        #expect(fingerprint.description == "sha-256 " + text.uppercased())
        #expect(DTLSFingerprint(fingerprint.description) == fingerprint)
    }

    @Test("nonsense is none", arguments: nonsense)
    func refused(text: String) { #expect(DTLSFingerprint(text) == nil) }

    private static let nonsense: [String] = {
        let good = digits.joined(separator: ":")
        let short = digits.dropLast().joined(separator: ":")
        let wrongHash = digits.prefix(20).joined(separator: ":")
        return [
            "", "sha-256", "sha-256 ", "sha-1 \(wrongHash)", "md5 00:11", "sha-256 \(short)", "sha-256 \(good):00",
            "sha-256 \(digits.joined())", "sha-512 \(good)", "sha-256 \(short):+1", "sha-256 \(short):0g",
            "sha-256 \(good) more", "sha-256 \(short):\u{ff11}\u{ff12}",
        ]
    }()
}
