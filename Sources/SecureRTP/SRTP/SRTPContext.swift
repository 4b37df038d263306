import CSRTP
import CSRTPCiphers
import Realtime

/// libsrtp2, loaded at the first encrypted call.
///
/// Sendable: written once before anybody sees it; the functions keep no state of their own after `srtp_init`.
struct SRTPLibrary: @unchecked Sendable {
    let functions: csrtp_library

    static let shared: Result<SRTPLibrary, SRTPError> = {
        // Its ciphers bring libraries of their own: they are not to come on top of what made the call.
        ProcessMemory.letGo(of: .agreement)
        var functions = csrtp_library()
        if let missing = csrtp_load(&functions) { return .failure(.libraryMissing(String(cString: missing))) }
        // Where that cannot be, the library's own ciphers do: slower, and no worse.
        _ = csrtp_use_openssl(functions.handle)
        ProcessMemory.letGo(of: .ciphers)
        return .success(SRTPLibrary(functions: functions))
    }()
}

/// One cryptographic context: a master key in one direction, and for each SSRC under it the rollover counter and the replay
/// window (RFC 3711 section 3.2). A new SSRC gets its own when its first packet has been authenticated.
final class SRTPContext {
    enum Direction {
        case outbound
        case inbound
        /// One stream alone, whose rollover counter is known.
        case inboundStream(ssrc: UInt32, rollover: UInt32)
    }

    /// Packets that may come late (RFC 3711 section 3.3.2): more than a second, also where frames are short.
    static let window = 256

    private let functions: csrtp_library
    private let session: srtp_t
    private let hasIdentifier: UInt32

    init(_ key: SRTPMasterKey, _ direction: Direction) throws(SRTPError) {
        functions = try SRTPLibrary.shared.get().functions
        hasIdentifier = key.identifier.isEmpty ? 0 : 1
        var policy = srtp_policy_t()
        switch direction {
        case .outbound: policy.ssrc = srtp_ssrc_t(type: ssrc_any_outbound, value: 0)
        case .inbound: policy.ssrc = srtp_ssrc_t(type: ssrc_any_inbound, value: 0)
        case .inboundStream(let ssrc, _): policy.ssrc = srtp_ssrc_t(type: ssrc_specific, value: ssrc)
        }
        policy.rtp = key.suite.policy(isControl: false)
        policy.rtcp = key.suite.policy(isControl: true)
        policy.window_size = UInt(Self.window)
        var created: srtp_t?
        var status = Self.create(key, &policy, functions, &created)
        guard status == srtp_err_status_ok, let created else { throw .refused(status: Int(status.rawValue)) }
        session = created
        if case .inboundStream(let ssrc, let rollover) = direction, rollover > 0 {
            status = functions.set_roc(session, ssrc, rollover)
            guard status == srtp_err_status_ok else {
                _ = functions.dealloc(created)
                throw .refused(status: Int(status.rawValue))
            }
        }
    }

    deinit { _ = functions.dealloc(session) }

    private static func create(
        _ key: SRTPMasterKey, _ policy: inout srtp_policy_t, _ functions: csrtp_library, _ created: inout srtp_t?
    ) -> srtp_err_status_t {
        // The library copies what it needs and writes to none of it.
        key.secret.withUnsafeBytes { secret in
            let bytes = UnsafeMutableRawPointer(mutating: secret.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            guard !key.identifier.isEmpty else {
                policy.key = bytes
                return functions.create(&created, &policy)
            }
            var identifier = key.identifier
            return identifier.withUnsafeMutableBufferPointer { identifier in
                var master = srtp_master_key_t(
                    key: bytes, mki_id: identifier.baseAddress, mki_size: UInt32(identifier.count))
                return withUnsafeMutablePointer(to: &master) { master in
                    var keys: UnsafeMutablePointer<srtp_master_key_t>? = master
                    return withUnsafeMutablePointer(to: &keys) { keys in
                        policy.keys = keys
                        policy.num_master_keys = 1
                        return functions.create(&created, &policy)
                    }
                }
            }
        }
    }

    /// Protects a packet in place: `length` of the buffer's bytes, which has room for the tag.
    /// - Returns: the new length.
    func protect(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int, isControl: Bool) -> Result<Int, SRTPStatus> {
        var count = Int32(length)
        let status =
            isControl
            ? functions.protect_rtcp(session, buffer.baseAddress, &count, hasIdentifier, 0)
            : functions.protect(session, buffer.baseAddress, &count, hasIdentifier, 0)
        return status == srtp_err_status_ok ? .success(Int(count)) : .failure(SRTPStatus(status))
    }

    /// Authenticates and decrypts a packet in place.
    /// - Returns: the new length.
    func unprotect(_ packet: UnsafeMutableRawBufferPointer, isControl: Bool) -> Result<Int, SRTPStatus> {
        var count = Int32(packet.count)
        let status =
            isControl
            ? functions.unprotect_rtcp(session, packet.baseAddress, &count, hasIdentifier)
            : functions.unprotect(session, packet.baseAddress, &count, hasIdentifier)
        return status == srtp_err_status_ok ? .success(Int(count)) : .failure(SRTPStatus(status))
    }
}

/// What the library says of a packet that it does not take.
enum SRTPStatus: Error {
    /// Seen already, or too old for the window to tell.
    case replayed
    /// Not from who holds the key, or from another place in the stream than the one that was guessed.
    case failed

    init(_ status: srtp_err_status_t) {
        switch status {
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: self = .replayed
        default: self = .failed
        }
    }
}
