import Glibc
import Realtime

/// Writes a pcapng file that stays readable whatever happens: `flush` appends whole blocks in one write, so that a killed
/// process leaves at most one broken block at the end.
///
/// Not for the media thread: it blocks on the disk. Time stamps are wall-clock time in ns, made of host time by one offset,
/// so that a replay gets the very times back.
public final class CaptureWriter {
    public let path: String
    /// Wall clock at host time 0, in ns since 1970.
    private let epochNanoseconds: Int64
    private let descriptor: Int32
    private var blocks = PcapngBlocks()
    private var packets: UInt64 = 0
    private var pulls: [(time: Int64, samples: UInt32)] = []
    private var hasFailed = false

    /// Creates (or empties) the file at `path`.
    ///
    /// - Parameters:
    ///   - settings: what the call was made of, for a replay; neither keys nor values hold line ends.
    ///   - epochNanoseconds: wall clock at host time 0.
    public init(path: String, settings: [String: String], epochNanoseconds: Int64) throws(CaptureError) {
        self.path = path
        self.epochNanoseconds = epochNanoseconds
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        var all = settings
        all["epoch_ns"] = String(epochNanoseconds)
        writeHead(all)
        try flush()
    }

    deinit { close(descriptor) }

    private func writeHead(_ settings: [String: String]) {
        blocks.block(PcapngFormat.sectionHeader) { blocks in
            blocks.append(PcapngFormat.byteOrderMagic)
            blocks.append(UInt16(1))
            blocks.append(UInt16(0))
            blocks.append(Int64(-1))
            blocks.option(PcapngFormat.Option.userApplication, Array("yodel".utf8))
            blocks.option(PcapngFormat.Option.end, [])
        }
        blocks.block(PcapngFormat.interfaceDescription) { blocks in
            blocks.append(PcapngFormat.linkTypeRaw)
            blocks.append(UInt16(0))
            blocks.append(UInt32(0))
            blocks.option(PcapngFormat.Option.timestampResolution, [9])
            blocks.option(PcapngFormat.Option.end, [])
        }
        let text = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }.joined()
        blocks.custom(.settings) { $0.raw(text.utf8) }
    }

    /// Appends a datagram with the IP and UDP headers it had, as far as they are known.
    ///
    /// - Parameter time: arrival of a received one, sending of a sent one.
    public func add(
        _ bytes: UnsafeRawBufferPointer, time: HostTime, isReceived: Bool, source: UDPEndpoint, destination: UDPEndpoint
    ) {
        writePulls()
        let stamp = UInt64(bitPattern: time.nanoseconds &+ epochNanoseconds)
        blocks.block(PcapngFormat.enhancedPacket) { blocks in
            blocks.append(UInt32(0))
            blocks.append(UInt32(truncatingIfNeeded: stamp >> 32))
            blocks.append(UInt32(truncatingIfNeeded: stamp))
            let header = SyntheticHeader.bytes(source: source, destination: destination, payload: bytes)
            let length = UInt32(clamping: header.count + bytes.count)
            blocks.append(length)
            blocks.append(length)
            blocks.raw(header)
            blocks.raw(bytes)
            blocks.pad()
            // epb_flags: inbound 1, outbound 2.
            blocks.append(PcapngFormat.Option.packetFlags)
            blocks.append(UInt16(4))
            blocks.append(UInt32(isReceived ? 1 : 2))
            blocks.append(UInt32(0))
        }
        packets += 1
    }

    /// Notes a pull of the jitter buffer.
    public func add(pull time: HostTime, samples: Int) {
        pulls.append((time.nanoseconds &+ epochNanoseconds, UInt32(clamping: samples)))
    }

    private func writePulls() {
        guard !pulls.isEmpty else { return }
        blocks.custom(.pulls) { blocks in
            blocks.append(packets)
            for pull in pulls {
                blocks.append(pull.time)
                blocks.append(pull.samples)
                blocks.append(UInt32(0))
            }
        }
        pulls.removeAll(keepingCapacity: true)
    }

    /// Hands what was added to the kernel.
    ///
    /// - Throws: once, when the disk is full or fails; what was written before stays readable, later calls do nothing.
    public func flush() throws(CaptureError) {
        writePulls()
        defer { blocks.removeAll() }
        guard !hasFailed else { return }
        var written = 0
        while written < blocks.bytes.count {
            let count = blocks.bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                hasFailed = true
                throw .unwritable(path: path, reason: String(cString: strerror(count < 0 ? errno : ENOSPC)))
            }
            written += count
        }
    }
}
