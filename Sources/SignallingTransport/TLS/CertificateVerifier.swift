import CX509
import Glibc

/// Verifies a chain by OpenSSL, which tells what is wrong; the BoringSSL inside NIOSSL tells only that something is.
struct CertificateVerifier {
    enum Expectation {
        /// A DNS name, or a numeric address, in the certificate of a server.
        case server(name: String)
        /// A client of a listener: no name.
        case client
    }

    /// An `X509` that is freed with its owner.
    private final class Certificate {
        let pointer: OpaquePointer

        init?(der: [UInt8]) {
            let read = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
                var start = buffer.baseAddress
                return cx509_d2i_X509(nil, &start, buffer.count)
            }
            guard let read else {
                cx509_ERR_clear_error()
                return nil
            }
            pointer = read
        }

        deinit { cx509_X509_free(pointer) }
    }

    /// Checks `chain` (DER forms, the peer's own first) against `store`.
    ///
    /// - Returns: what the peer's own certificate says, and what is wrong with it; nil: nothing.
    func verify(
        chain: [[UInt8]], store: TrustStore.Handle, expecting expectation: Expectation, pinned: [UInt8]? = nil
    ) -> (summary: CertificateSummary?, failure: CertificateFailure?) {
        guard let first = chain.first else { return (nil, .missing) }
        guard let leaf = Certificate(der: first) else { return (nil, .malformed) }
        let summary = Self.summary(leaf.pointer, der: first)
        if let pinned { return (summary, summary.fingerprint == pinned ? nil : .notPinned) }
        let others = chain.dropFirst().prefix(16).compactMap { Certificate(der: $0) }
        defer { withExtendedLifetime(others) {} }
        // STACK_OF(X509) without its macros, which are casts.
        guard let stack = cx509_OPENSSL_sk_new_null(), let context = cx509_X509_STORE_CTX_new() else {
            return (summary, .other("out of memory"))
        }
        defer {
            cx509_X509_STORE_CTX_free(context)
            cx509_OPENSSL_sk_free(stack)
        }
        for other in others { cx509_OPENSSL_sk_push(stack, UnsafeRawPointer(other.pointer)) }
        guard cx509_X509_STORE_CTX_init(context, store.pointer, leaf.pointer, stack) == 1 else {
            return (summary, .other("OpenSSL cannot begin"))
        }
        switch expectation {
        case .server(let name):
            guard cx509_X509_STORE_CTX_set_default(context, "ssl_server") == 1,
                Self.expect(name, cx509_X509_STORE_CTX_get0_param(context))
            else { return (summary, .wrongName(expected: name)) }
        case .client:
            guard cx509_X509_STORE_CTX_set_default(context, "ssl_client") == 1 else {
                return (summary, .other("OpenSSL knows no clients"))
            }
        }
        let isValid = cx509_X509_verify_cert(context) == 1
        let code = cx509_X509_STORE_CTX_get_error(context)
        cx509_ERR_clear_error()
        return (summary, isValid ? nil : Self.failure(code, expectation))
    }

    /// A numeric address must stand in the certificate as one, a name as a name.
    private static func expect(_ name: String, _ parameters: OpaquePointer?) -> Bool {
        if cx509_X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return true }
        cx509_ERR_clear_error()
        // A wildcard stands for one whole label (RFC 9525 section 6.3). RFC 5922 has none for SIP; providers use them.
        cx509_X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return !name.isEmpty && cx509_X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
    }

    private static func failure(_ code: CInt, _ expectation: Expectation) -> CertificateFailure {
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            if case .server(let name) = expectation { .wrongName(expected: name) } else { .other("name") }
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .unknownIssuer
        default: .other(String(cString: cx509_X509_verify_cert_error_string(Int(code))))
        }
    }

    private static func summary(_ certificate: OpaquePointer, der: [UInt8]) -> CertificateSummary {
        var digest = [UInt8](repeating: 0, count: 32)
        cx509_EVP_Digest(der, der.count, &digest, nil, cx509_EVP_sha256(), nil)
        return CertificateSummary(
            subject: line(cx509_X509_get_subject_name(certificate)), issuer: line(cx509_X509_get_issuer_name(certificate)),
            notBefore: seconds(cx509_X509_get0_notBefore(certificate)),
            notAfter: seconds(cx509_X509_get0_notAfter(certificate)),
            fingerprint: digest)
    }

    private static func line(_ name: OpaquePointer?) -> String {
        var buffer = [CChar](repeating: 0, count: 512)
        guard cx509_X509_NAME_oneline(name, &buffer, CInt(buffer.count)) != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        var parts = tm()
        guard cx509_ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
        return Int64(timegm(&parts))
    }
}
