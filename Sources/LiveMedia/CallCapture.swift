import Link
import Media
import Network
import PacketCapture
import Realtime

/// Captures a call's RTP and RTCP, and when the jitter buffer was pulled, into a pcapng file (`--capture`).
///
/// Fed by the media thread, written elsewhere, like a recording: a slow disk costs packets of the capture and never one of
/// the call. A replay that follows its order repeats what the jitter buffer did, sample by sample.
public final class CallCapture: MediaTap {
    let writer: CaptureDrain
    /// Records lost because the file's thread was away for longer than the ring holds, or the file took no more.
    public var dropped: Int { writer.health.dropped }
    /// Why the writing ended before its time; `nil` while it did not.
    package var failureReason: String? { writer.health.failureReason }
    private var ring: RingProducer<UInt8>

    /// Some ten seconds of the busiest call.
    private static let ringBytes = 1 << 20

    /// Creates the file at `path`; an existing file is replaced.
    /// - Parameters:
    ///   - path: of the file.
    ///   - configuration: of the call.
    ///   - socket: where its packets come and go.
    ///   - isEncrypted: whether packets are captured as they are on the wire, encrypted.
    ///   - mostBytes: that the file may have; what comes later is not kept.
    /// - Throws: where the file cannot be made.
    public convenience init(
        path: String, configuration: CallConfiguration, socket: UDPLink, isEncrypted: Bool = false, mostBytes: Int = .max
    ) throws(CallError) {
        let now = HostTime.monotonicNow()
        try self.init(
            path: path, configuration: configuration, local: socket.local,
            controlPort: socket.localControlPort, epochNanoseconds: now.wallClockEpoch, isEncrypted: isEncrypted,
            mostBytes: mostBytes)
    }

    /// - Parameters:
    ///   - local: where RTP is heard.
    ///   - controlPort: where RTCP is heard.
    ///   - epochNanoseconds: wall clock at host time 0, in ns since 1970.
    ///   - isEncrypted: whether packets are captured as they are on the wire, encrypted.
    ///   - mostBytes: that the file may have.
    package init(
        path: String, configuration: CallConfiguration, local: SocketAddress, controlPort: UInt16,
        epochNanoseconds: Int64, isEncrypted: Bool = false, mostBytes: Int = .max
    ) throws(CallError) {
        let ends: RingEnds<UInt8>
        do {
            ends = try RingEnds<UInt8>(minimumCapacity: Self.ringBytes)
        } catch {
            throw .resources("\(error)")
        }
        var settings = configuration.captureSettings
        if isEncrypted { settings[CallConfiguration.captureEncryption] = "srtp" }
        let address = UDPEndpoint(local)
        settings["local_address"] = address.address.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        settings["local_ports"] = "\(local.port),\(controlPort)"
        do {
            let file = try CaptureWriter(
                path: path, settings: settings, epochNanoseconds: epochNanoseconds, mostBytes: mostBytes)
            writer = CaptureDrain(file, ring: ends.consumer, local: local, controlPort: controlPort)
        } catch {
            throw .recording(path: path, reason: error.reason)
        }
        ring = ends.producer
    }

    /// A datagram went out.
    package func add(sent bytes: UnsafeRawBufferPointer, isControl: Bool, to remote: SocketAddress, time: HostTime) {
        add(bytes, CaptureRecord(kind: isControl ? .sentControl : .sent, time: time, remote: remote))
    }

    /// A datagram came in.
    package func add(received bytes: UnsafeRawBufferPointer, isControl: Bool, from remote: SocketAddress, time: HostTime) {
        add(bytes, CaptureRecord(kind: isControl ? .receivedControl : .received, time: time, remote: remote))
    }

    /// The play-out pulled `samples` samples.
    public func add(pull time: HostTime, samples: Int) {
        var record = CaptureRecord(kind: .pull, time: time, remote: SocketAddress(IPAddress(v4: 0), port: 0))
        record.samples = UInt32(clamping: samples)
        add(UnsafeRawBufferPointer(start: nil, count: 0), record)
    }

    /// The machine stood still, or was late.
    public func add(_ stop: MachineStop) { note(.stop, stop.end, stop.end.milliseconds(since: stop.begin)) }

    /// Pulls come later from now on.
    public func add(pullsMovedBy milliseconds: Double, at now: HostTime) { note(.pullsMoved, now, milliseconds) }

    /// What a replay must know is another from now on.
    public func add(_ change: StreamChange, at now: HostTime) {
        let record = CaptureRecord(kind: .change, time: now, remote: SocketAddress(IPAddress(v4: 0), port: 0))
        Array(change.captured.utf8).withUnsafeBytes { add($0, record) }
    }

    private func note(_ kind: CaptureRecord.Kind, _ time: HostTime, _ milliseconds: Double) {
        var record = CaptureRecord(kind: kind, time: time, remote: SocketAddress(IPAddress(v4: 0), port: 0))
        record.samples = UInt32(min(4e9, max(1, (milliseconds * 1000).rounded())))
        add(UnsafeRawBufferPointer(start: nil, count: 0), record)
    }

    /// A record and its bytes go into the ring whole or not at all.
    private func add(_ bytes: UnsafeRawBufferPointer, _ record: CaptureRecord) {
        var record = record
        record.byteCount = UInt32(clamping: bytes.count)
        let whole = MemoryLayout<CaptureRecord>.size + bytes.count
        guard ring.room(wanted: whole) >= whole else {
            writer.health.lose(1)
            return
        }
        withUnsafeBytes(of: record) { head in
            guard let base = head.baseAddress else { return }
            _ = ring.write(base.assumingMemoryBound(to: UInt8.self), count: head.count)
        }
        guard let base = bytes.baseAddress else { return }
        _ = ring.write(base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    /// Writes what waits; for a call without threads.
    package func drain() { writer.drain() }

    /// Writes the rest; for a call without threads.
    package func finish() { writer.finish() }
}

/// What stands in the ring in front of a datagram's bytes.
struct CaptureRecord: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
        case received, receivedControl, sent, sentControl, pull, stop, pullsMoved, change
    }

    var kind: Kind
    var byteCount: UInt32 = 0
    /// Samples of a pull; microseconds of a stop or a move.
    var samples: UInt32 = 0
    var time: HostTime
    var remote: SocketAddress

    init(kind: Kind, time: HostTime, remote: SocketAddress) {
        self.kind = kind
        self.time = time
        self.remote = remote
    }
}
