import COpenSSL

/// SRTP a second time, straight from the RFCs and on another library, to compare with. Only what the tests need: a header of 12
/// bytes, no extension, no key identifier.
struct ReferenceSRTP {
    /// Session keys of one direction.
    struct Session {
        var cipher: [UInt8]
        var salt: [UInt8]
        var authentication: [UInt8]
    }

    /// RFC 3711 section 4.3: the keystream of the master key tells the session keys. RTP has the labels 0 to 2, RTCP 3 to 5.
    static func derive(master: [UInt8], salt: [UInt8], firstLabel: UInt8) -> Session {
        // A salt of 12 bytes stands as if two zero bytes followed (RFC 7714 section 11).
        let padded = salt + [UInt8](repeating: 0, count: 14 - salt.count)
        func stream(_ label: UInt8, _ count: Int) -> [UInt8] {
            var start = padded
            start[7] ^= label
            return counterMode(key: master, start: start + [0, 0], [UInt8](repeating: 0, count: count))
        }
        return Session(
            cipher: stream(firstLabel, master.count), salt: stream(firstLabel + 2, salt.count),
            authentication: stream(firstLabel + 1, 20))
    }

    /// RFC 3711 sections 4.1.1 and 4.2.1.
    static func counterModeRTP(_ packet: [UInt8], rollover: UInt32, _ session: Session, tag: Int) -> [UInt8] {
        let index = bigEndian(rollover) + packet[2..<4]
        let body = counterMode(
            key: session.cipher, start: counterStart(session.salt, ssrc: packet[8..<12], index: index), Array(packet[12...]))
        let result = Array(packet[..<12]) + body
        return result + hmac(key: session.authentication, result + bigEndian(rollover)).prefix(tag)
    }

    /// RFC 3711 section 3.4: always encrypted here.
    static func counterModeRTCP(_ packet: [UInt8], index: UInt32, _ session: Session) -> [UInt8] {
        let body = counterMode(
            key: session.cipher,
            start: counterStart(session.salt, ssrc: packet[4..<8], index: [0, 0] + bigEndian(index)), Array(packet[8...]))
        let result = Array(packet[..<8]) + body + bigEndian(index | 1 << 31)
        return result + hmac(key: session.authentication, Array(result)).prefix(10)
    }

    /// RFC 7714 sections 8.1 and 8.2.
    static func galoisRTP(_ packet: [UInt8], rollover: UInt32, _ session: Session) -> [UInt8] {
        let vector = zip([0, 0] + packet[8..<12] + bigEndian(rollover) + packet[2..<4], session.salt).map { $0 ^ $1 }
        return Array(packet[..<12])
            + galois(key: session.cipher, vector: vector, associated: Array(packet[..<12]), Array(packet[12...]))
    }

    /// RFC 7714 sections 9.1 and 9.2: the index stands behind the tag, and is authenticated with the header.
    static func galoisRTCP(_ packet: [UInt8], index: UInt32, _ session: Session) -> [UInt8] {
        let vector = zip([0, 0] + packet[4..<8] + [0, 0] + bigEndian(index), session.salt).map { $0 ^ $1 }
        let trailer = bigEndian(index | 1 << 31)
        return Array(packet[..<8])
            + galois(key: session.cipher, vector: vector, associated: packet[..<8] + trailer, Array(packet[8...])) + trailer
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
    }

    private static func counterStart(_ salt: [UInt8], ssrc: ArraySlice<UInt8>, index: [UInt8]) -> [UInt8] {
        let position = [0, 0, 0, 0] + ssrc + index
        return zip(position, salt).map { $0 ^ $1 } + [0, 0]
    }

    // MARK: - Ciphers

    private static func counterMode(key: [UInt8], start: [UInt8], _ input: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_EncryptInit_ex(context, key.count == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr(), nil, key, start)
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var count: Int32 = 0
        EVP_EncryptUpdate(context, &output, &count, input, Int32(input.count))
        return Array(output.prefix(Int(count)))
    }

    private static func galois(key: [UInt8], vector: [UInt8], associated: [UInt8], _ input: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_EncryptInit_ex(context, key.count == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), nil, key, vector)
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var tag = [UInt8](repeating: 0, count: 16)
        var count: Int32 = 0
        EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count))
        EVP_EncryptUpdate(context, &output, &count, input, Int32(input.count))
        var rest: Int32 = 0
        EVP_EncryptFinal_ex(context, &output, &rest)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return output.prefix(input.count) + tag
    }

    private static func hmac(key: [UInt8], _ input: some Collection<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 20)
        let input = Array(input)
        HMAC(EVP_sha1(), key, Int32(key.count), input, input.count, &output, nil)
        return output
    }
}
