import Glibc

/// What is fuzzed; `FUZZ_TARGET` names one. Each takes any bytes: what it must not do is trap, hang or eat memory.
enum FuzzTarget: String, CaseIterable {
    /// RTP, RTCP, commands and time into a whole call.
    case call
    /// Reports of the other side to our sender: loss, copies, in-band FEC.
    case control
    /// Packets into jitter buffer and decoder.
    case buffer
    /// A capture file, and its replay.
    case capture
    /// Configuration and graph, both YAML.
    case settings
    /// Headers of audio files.
    case audio
    /// Network conditions, traces and call URIs.
    case text
    /// ICE, STUN and TURN: candidates, messages and time.
    case ice
    /// SRTP and DTLS: datagrams into an encrypted call.
    case secure
    /// SIP: messages and a person's wishes into a user agent.
    case sip
    /// Session descriptions, offered and answered.
    case sdp
    /// Signalling from person to person, and the file of known peers.
    case peer

    func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .call: CallFuzz.run(bytes)
        case .control: ControlFuzz.run(bytes)
        case .buffer: BufferFuzz.run(bytes)
        case .capture: CaptureFuzz.run(bytes)
        case .settings: SettingsFuzz.run(bytes)
        case .audio: AudioFuzz.run(bytes)
        case .text: TextFuzz.run(bytes)
        case .ice: ICEFuzz.run(bytes)
        case .secure: SecureFuzz.run(bytes)
        case .sip: SIPFuzz.run(bytes)
        case .sdp: SDPFuzz.run(bytes)
        case .peer: PeerFuzz.run(bytes)
        }
    }
}

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'")
    }
    return target
}()

/// libFuzzer calls this for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

/// Takes an input apart. Bytes beyond its end are 0.
struct FuzzBytes {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func word() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

    mutating func long() -> UInt32 { UInt32(word()) << 16 | UInt32(word()) }

    /// As many bytes as are there, up to `count`.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }
}

/// A file without a name in memory, written anew for each input.
private let memory: CInt = {
    var name = Array("/dev/shm/yodel-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "mkstemp: \(errno)")
    unlink(name)
    return descriptor
}()

/// Runs `body` with a path under which `bytes` can be read as a file.
func withFile(_ bytes: UnsafeRawBufferPointer, _ body: (String) -> Void) {
    precondition(ftruncate(memory, 0) == 0, "ftruncate: \(errno)")
    var written = 0
    while written < bytes.count {
        let count = pwrite(memory, bytes.baseAddress! + written, bytes.count - written, off_t(written))
        precondition(count > 0, "pwrite: \(errno)")
        written += count
    }
    body("/proc/self/fd/\(memory)")
}
