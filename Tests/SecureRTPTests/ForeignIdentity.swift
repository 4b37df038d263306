import COpenSSL
import SecureRTP

/// Identities as other programs have them.
enum ForeignIdentity {
    /// An RSA key of so many bits.
    static func rsa(bits: Int32) throws -> DTLSIdentity {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        var key: OpaquePointer?
        EVP_PKEY_keygen(context, &key)
        return try identity(of: key, names: 1)
    }

    /// An ECDSA key with a certificate so long that it takes several datagrams.
    static func withLongCertificate() throws -> DTLSIdentity {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        var key: OpaquePointer?
        EVP_PKEY_keygen(context, &key)
        return try identity(of: key, names: 40)
    }

    /// Numbers that look like an RSA key of so many bits, which would cost much to check.
    static func absurd(bits: Int) throws -> DTLSIdentity {
        func odd(_ bits: Int) -> [UInt8] { [0x80] + [UInt8](repeating: 0x5b, count: bits / 8 - 1) }
        // RFC 8017 appendix A.1.2: version, modulus, exponents, primes, and what is derived from them.
        let numbers = [[0], odd(bits), [1, 0, 1], odd(64), odd(64), odd(64), odd(32), odd(32), odd(32)]
        let encoded = value(tag: 0x30, numbers.flatMap { value(tag: 2, ($0[0] >= 0x80 ? [0] : []) + $0) })
        var start: UnsafePointer<UInt8>?
        return try encoded.withUnsafeBufferPointer { buffer in
            start = buffer.baseAddress
            return try identity(of: d2i_AutoPrivateKey(nil, &start, buffer.count), names: 1)
        }
    }

    /// A value in DER.
    private static func value(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 128 { return [tag, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 255)] + content
    }

    /// Signs a certificate with `names` long names in it, and takes `key` over.
    private static func identity(of key: OpaquePointer?, names: Int) throws -> DTLSIdentity {
        let certificate = X509_new()
        defer {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
        let name = X509_get_subject_name(certificate)
        for number in 0..<names {
            let text = "unit \(number) " + String(repeating: "x", count: 40)
            X509_NAME_add_entry_by_txt(name, "OU", V_ASN1_UTF8STRING, text, Int32(text.utf8.count), -1, 0)
        }
        X509_set_issuer_name(certificate, name)
        X509_set_pubkey(certificate, key)
        X509_sign(certificate, key, EVP_sha256())
        return try DTLSIdentity(
            key: Secret(encoded { i2d_PrivateKey(key, $0) }), certificate: encoded { i2d_X509(certificate, $0) })
    }

    private static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(encode(nil)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            _ = encode(&end)
        }
        return bytes
    }
}
