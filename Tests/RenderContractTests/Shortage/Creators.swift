import CDTLS
import CKissFFT
import CNetwork
import COpus
import CRealtime
import CSpeexDSP
import CYAML
import Glibc
import SecureRTP

/// Those that a call or the program's start needs. SpeexDSP's echo canceller and preprocessor, libsrtp2's sessions and libsndfile
/// are not among them: they touch what they did not get (SpeexDSP 1.2.1, libsrtp2 2.5.0, libsndfile 1.2.0).
extension Creator {
    static let all = ground + network + keys + ciphers + signal

    private static let ground = [
        Creator(
            testDescription: "ring mapped twice", create: { crt_mirror_map(65_536) },
            destroy: { crt_mirror_unmap($0, 65_536) }),
        Creator(testDescription: "event", create: { handle(crt_event_open()) }, destroy: { close(descriptor($0)) }),
        Creator(
            testDescription: "parser of YAML", create: { UnsafeMutableRawPointer(cyaml_parser_new(yaml.utf8Start, 5)) },
            destroy: { cyaml_parser_free($0.assumingMemoryBound(to: yaml_parser_t.self)) }),
    ]

    private static let network = [
        Creator(
            testDescription: "batch of datagrams", create: { UnsafeMutableRawPointer(cnetwork_batch_create(32, 1500)) },
            destroy: { cnetwork_batch_destroy(OpaquePointer($0)) }),
        Creator(
            testDescription: "datagrams on their way out",
            create: { UnsafeMutableRawPointer(cnetwork_outbox_create(32, 1500)) },
            destroy: { cnetwork_outbox_destroy(OpaquePointer($0)) }),
        Creator(
            testDescription: "wait for many sockets", create: { handle(cnetwork_poll_create()) },
            destroy: { close(descriptor($0)) }),
        Creator(
            testDescription: "watch on addresses", create: { handle(cnetwork_watch_addresses()) },
            destroy: { close(descriptor($0)) }),
    ]

    private static let keys = [
        Creator(
            testDescription: "new identity", needsAll: false, stride: 17,
            create: { UnsafeMutableRawPointer(KeptIdentity.shared?.another()) },
            destroy: { cdtls_identity_free(OpaquePointer($0)) }),
        Creator(
            testDescription: "identity as it was kept", needsAll: false, stride: 37,
            create: { UnsafeMutableRawPointer(KeptIdentity.shared?.load()) },
            destroy: { cdtls_identity_free(OpaquePointer($0)) }),
        Creator(
            testDescription: "DTLS association",
            create: { UnsafeMutableRawPointer(KeptIdentity.shared?.associate()) },
            destroy: { cdtls_free(OpaquePointer($0)) }),
        Creator(
            testDescription: "client of TLS",
            create: { UnsafeMutableRawPointer(KeptIdentity.shared?.connect()) },
            destroy: { ctls_free(OpaquePointer($0)) }),
    ]

    private static let ciphers = [
        Creator(
            testDescription: "AES in counter mode", create: { CipherKernel.shared?.cipher(1, keyLength: 30, tagLength: 10) },
            destroy: { CipherKernel.shared?.destroy($0) }),
        Creator(
            testDescription: "AES-GCM", create: { CipherKernel.shared?.cipher(6, keyLength: 28, tagLength: 16) },
            destroy: { CipherKernel.shared?.destroy($0) }),
    ]

    private static let signal = [
        Creator(
            testDescription: "encoder of Opus",
            create: { UnsafeMutableRawPointer(opus_encoder_create(48_000, 1, OPUS_APPLICATION_VOIP, nil)) },
            destroy: { opus_encoder_destroy(OpaquePointer($0)) }),
        Creator(
            testDescription: "Fourier transform", create: { UnsafeMutableRawPointer(kiss_fftr_alloc(960, 0, nil, nil)) },
            destroy: { free($0) }),
        Creator(
            testDescription: "resampler",
            create: { UnsafeMutableRawPointer(speex_resampler_init(1, 44_100, 48_000, 5, nil)) },
            destroy: { speex_resampler_destroy(OpaquePointer($0)) }),
    ]

    private static let yaml: StaticString = "a: 1\n"

    /// A descriptor as a pointer; `nil` for what is none.
    private static func handle(_ descriptor: Int32) -> UnsafeMutableRawPointer? {
        descriptor < 0 ? nil : UnsafeMutableRawPointer(bitPattern: Int(descriptor) + 1)
    }

    private static func descriptor(_ handle: UnsafeMutableRawPointer) -> Int32 { Int32(Int(bitPattern: handle) - 1) }
}

/// The text for C, without a copy.
private func characters(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// An identity and authorities that stay, made while there was memory.
private struct KeptIdentity: @unchecked Sendable {
    static let shared = KeptIdentity()

    private let identity: OpaquePointer
    private let authorities: OpaquePointer
    private let key = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2000)
    private let certificate = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2000)
    private let keyLength: Int32
    private let certificateLength: Int32

    private init?() {
        guard cdtls_load() == nil, let identity = cdtls_identity_create(30), let authorities = ctls_context_create(nil) else {
            return nil
        }
        self.identity = identity
        self.authorities = authorities
        keyLength = cdtls_identity_key(identity, key.baseAddress, 2000)
        certificateLength = cdtls_identity_certificate(identity, certificate.baseAddress, 2000)
    }

    func another() -> OpaquePointer? { cdtls_identity_create(30) }

    func load() -> OpaquePointer? {
        cdtls_identity_load(key.baseAddress, keyLength, certificate.baseAddress, certificateLength)
    }

    func associate() -> OpaquePointer? {
        cdtls_create(identity, true, characters("SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"), 1200, cdtls_owner())
    }

    func connect() -> OpaquePointer? { ctls_create(authorities, characters("example.org")) }
}

/// libsrtp2's own way to our ciphers.
private struct CipherKernel: @unchecked Sendable {
    static let shared = CipherKernel()

    private typealias Allocate = @convention(c) (UInt32, UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32, Int32) -> Int32
    private typealias Deallocate = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private let allocate: Allocate
    private let deallocate: Deallocate

    private init?() {
        // One door for all who use the library, which is started once.
        guard (try? SRTPLink.prepare()) != nil, let library = dlopen("libsrtp2.so.1", RTLD_NOW | RTLD_NOLOAD),
            let allocate = dlsym(library, "srtp_crypto_kernel_alloc_cipher"),
            let deallocate = dlsym(library, "srtp_cipher_dealloc")
        else { return nil }
        self.allocate = unsafeBitCast(allocate, to: Allocate.self)
        self.deallocate = unsafeBitCast(deallocate, to: Deallocate.self)
    }

    /// - Parameters:
    ///   - type: libsrtp2's number.
    ///   - keyLength: bytes, the salt's included.
    ///   - tagLength: bytes.
    func cipher(_ type: UInt32, keyLength: Int32, tagLength: Int32) -> UnsafeMutableRawPointer? {
        var made: UnsafeMutableRawPointer?
        return allocate(type, &made, keyLength, tagLength) == 0 ? made : nil
    }

    func destroy(_ cipher: UnsafeMutableRawPointer) { _ = deallocate(cipher) }
}
