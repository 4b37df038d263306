import CSRTP

/// A cipher and its authentication. The raw values are the names in SDP (RFC 4568, 6188, 7714).
public enum SRTPSuite: String, Sendable, Hashable, CaseIterable {
    /// Today's best, 256 bits.
    case aeadAES256GCM = "AEAD_AES_256_GCM"
    case aeadAES128GCM = "AEAD_AES_128_GCM"
    /// By SDES only: no number of it is in use with DTLS.
    case aes256CM80 = "AES_256_CM_HMAC_SHA1_80"
    /// What everybody has (RFC 3711).
    case aes128CM80 = "AES_CM_128_HMAC_SHA1_80"
    /// RTP's tag has 4 bytes only; RTCP's has 10.
    case aes128CM32 = "AES_CM_128_HMAC_SHA1_32"

    /// Bytes of the master key.
    public var keyLength: Int {
        switch self {
        case .aeadAES256GCM, .aes256CM80: 32
        case .aeadAES128GCM, .aes128CM80, .aes128CM32: 16
        }
    }

    /// Bytes of the master salt.
    public var saltLength: Int { isAEAD ? 12 : 14 }

    /// Bytes that protection adds to an RTP packet.
    public var tagLength: Int {
        switch self {
        case .aeadAES256GCM, .aeadAES128GCM: 16
        case .aes256CM80, .aes128CM80: 10
        case .aes128CM32: 4
        }
    }

    /// Bytes that protection adds to an RTCP packet, the index among them.
    public var controlTagLength: Int { (isAEAD ? 16 : 10) + 4 }

    /// Whether packets may carry a key identifier. libsrtp looks for it in RTCP where RTP's tag would begin, and with this suite the
    /// tags are of two lengths.
    public var supportsIdentifier: Bool { self != .aes128CM32 }

    private var isAEAD: Bool { self == .aeadAES256GCM || self == .aeadAES128GCM }

    /// Number in DTLS's `use_srtp` (RFC 5764 section 4.1.2, RFC 7714 section 14.2); nil where it is not agreed so.
    public var dtlsProfile: UInt16? {
        switch self {
        case .aes128CM80: 0x0001
        case .aes128CM32: 0x0002
        case .aeadAES128GCM: 0x0007
        case .aeadAES256GCM: 0x0008
        case .aes256CM80: nil
        }
    }

    /// What the TLS library calls it: without the `HMAC` of the standard.
    var dtlsName: String? {
        switch self {
        case .aes128CM80: "SRTP_AES128_CM_SHA1_80"
        case .aes128CM32: "SRTP_AES128_CM_SHA1_32"
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aes256CM80: nil
        }
    }

    /// How the SRTP library is told.
    func policy(isControl: Bool) -> srtp_crypto_policy_t {
        let tag = isControl ? controlTagLength - 4 : tagLength
        let cipher =
            switch self {
            case .aeadAES256GCM: SRTP_AES_GCM_256
            case .aeadAES128GCM: SRTP_AES_GCM_128
            case .aes256CM80: SRTP_AES_ICM_256
            case .aes128CM80, .aes128CM32: SRTP_AES_ICM_128
            }
        return srtp_crypto_policy_t(
            cipher_type: srtp_cipher_type_id_t(cipher), cipher_key_len: Int32(keyLength + saltLength),
            auth_type: srtp_auth_type_id_t(isAEAD ? SRTP_NULL_AUTH : SRTP_HMAC_SHA1), auth_key_len: isAEAD ? 0 : 20,
            auth_tag_len: Int32(tag), sec_serv: sec_serv_conf_and_auth)
    }
}
