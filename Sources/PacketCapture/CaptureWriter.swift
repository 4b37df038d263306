import Glibc
import Realtime

/// Writes a pcapng file that stays readable whatever happens: `flush` appends whole blocks in one write, so that a killed
/// process leaves at most one broken block at the end.
///
/// Not for the media thread: it blocks on the disk. A pipe whose reader is slow is not waited for: up to `mostWaiting` bytes wait
/// for it, then whole packets and pulls are dropped and counted. Time stamps are wall-clock time in ns, made of host time by one offset,
/// so that a replay gets the very times back.
public final class CaptureWriter {
    public let path: String
    /// Wall clock at host time 0, in ns since 1970.
    private let epochNanoseconds: Int64
    private let descriptor: Int32
    private var blocks = PcapngBlocks()
    private var packets: UInt64 = 0
    private var pulls: [(time: Int64, samples: UInt32, microseconds: UInt32)] = []
    private var hasFailed = false
    /// Packets and pulls that were not written, because the disk failed or a pipe's reader was too slow.
    public private(set) var dropped = 0
    /// Whether the file has as many bytes as it may have: nothing more of the call is kept.
    public private(set) var isFull = false
    private let mostBytes: Int
    private var written = 0
    /// Bytes that wait to be handed to the kernel.
    public var waiting: Int { blocks.bytes.count }
    /// Most bytes that wait.
    public static let mostWaiting = 1 << 20

    /// Creates (or empties) the file at `path`.
    ///
    /// - Parameters:
    ///   - settings: what the call was made of, for a replay; neither keys nor values hold line ends.
    ///   - epochNanoseconds: wall clock at host time 0.
    ///   - mostBytes: that the file may have; a little more where the last record is long.
    /// - Throws: where the file cannot be made.
    public init(
        path: String, settings: [String: String], epochNanoseconds: Int64, mostBytes: Int = .max
    ) throws(CaptureError) {
        self.path = path
        self.mostBytes = mostBytes
        self.epochNanoseconds = epochNanoseconds
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == ENXIO ? "nobody reads this pipe yet" : String(cString: strerror(errno))
            throw .unwritable(path: path, reason: reason)
        }
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
        guard takesMore() else { return }
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
        guard takesMore() else { return }
        pulls.append((time.nanoseconds &+ epochNanoseconds, UInt32(clamping: samples), 0))
    }

    /// Notes that the machine had stood still until `time`.
    public func add(stop time: HostTime, milliseconds: Double) { note(PcapngFormat.stopNote, time, milliseconds) }

    /// Notes that pulls come so much later from `time` on.
    public func add(pullsMoved time: HostTime, milliseconds: Double) { note(PcapngFormat.moveNote, time, milliseconds) }

    /// Notes that something which a replay must know is another from `time` on.
    ///
    /// - Parameters:
    ///   - change: `key=value`, without line ends.
    ///   - time: of the change.
    public func add(change: String, time: HostTime) {
        guard takesMore() else { return }
        writePulls()
        blocks.custom(.change) { blocks in
            blocks.append(packets)
            blocks.append(time.nanoseconds &+ epochNanoseconds)
            blocks.raw("\(change)\n".utf8)
        }
    }

    private func note(_ kind: UInt32, _ time: HostTime, _ milliseconds: Double) {
        guard milliseconds > 0, milliseconds.isFinite, takesMore() else { return }
        let microseconds = UInt32(min(4e9, max(1, (milliseconds * 1000).rounded())))
        pulls.append((time.nanoseconds &+ epochNanoseconds, kind, microseconds))
    }

    private func writePulls() {
        guard !pulls.isEmpty else { return }
        blocks.custom(.pulls) { blocks in
            blocks.append(packets)
            for pull in pulls {
                blocks.append(pull.time)
                blocks.append(pull.samples)
                blocks.append(pull.microseconds)
            }
        }
        pulls.removeAll(keepingCapacity: true)
    }

    /// Whether there is room for one more; counts it as dropped if not. What comes after the file is full is not counted.
    private func takesMore() -> Bool {
        if written + waiting >= mostBytes { isFull = true }
        guard !isFull else { return false }
        guard !hasFailed, waiting + pulls.count * PcapngFormat.pullBytes < Self.mostWaiting else {
            dropped += 1
            return false
        }
        return true
    }

    /// Hands what was added to the kernel; what a pipe does not take yet waits for the next time.
    ///
    /// - Throws: once, when the disk is full or fails; what was written before stays readable, later calls do nothing.
    public func flush() throws(CaptureError) {
        writePulls()
        var taken = 0
        defer {
            written += taken
            if hasFailed { blocks.removeAll() } else { blocks.removeFirst(taken) }
        }
        guard !hasFailed else { return }
        while taken < blocks.bytes.count {
            let count = blocks.bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + taken, $0.count - taken) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                hasFailed = true
                throw .unwritable(path: path, reason: String(cString: strerror(count < 0 ? errno : ENOSPC)))
            }
            taken += count
        }
    }

    /// Hands over the rest, for which a pipe's reader has `milliseconds`.
    ///
    /// - Throws: as `flush`, and when the reader took too long.
    public func finish(withinMilliseconds milliseconds: Double = 500) throws(CaptureError) {
        let deadline = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
        try flush()
        while waiting > 0 {
            let rest = deadline.milliseconds(since: .monotonicNow())
            guard rest > 0 else {
                hasFailed = true
                blocks.removeAll()
                throw .unwritable(path: path, reason: "its reader takes no more")
            }
            var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&pipe, 1, Int32(rest.rounded(.up)))
            try flush()
        }
    }
}
