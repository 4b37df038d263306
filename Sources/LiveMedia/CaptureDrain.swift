import AudioFiles
import Link
import PacketCapture
import Realtime

/// The capture's end on the recorder's thread: takes records out of the ring and writes them.
final class CaptureDrain: DiskWriter {
    let health: FileHealth
    private let file: CaptureWriter
    private var ring: RingConsumer<UInt8>
    private let local: SocketAddress
    private let controlPort: UInt16
    private var bytes: [UInt8] = []
    /// Of a record whose bytes are still to come.
    private var head: CaptureRecord?
    private var toldDropped = 0

    /// Bytes handed to the kernel at once, so that no more wait.
    private static let chunk = 1 << 16

    init(_ file: CaptureWriter, ring: consuming RingConsumer<UInt8>, local: SocketAddress, controlPort: UInt16) {
        self.file = file
        health = FileHealth(path: file.path)
        self.ring = ring
        self.local = local
        self.controlPort = controlPort
    }

    /// Takes everything out of the ring, also when the disk has failed: then it is dropped, and counted.
    func drain() {
        while take() { if file.waiting >= Self.chunk { flush() } }
        flush()
        health.lose(file.dropped - toldDropped)
        toldDropped = file.dropped
    }

    private func flush() {
        do throws(CaptureError) { try file.flush() } catch { health.fail(error.reason) }
    }

    func finish() {
        drain()
        do throws(CaptureError) { try file.finish() } catch { health.fail(error.reason) }
    }

    /// The next record; false when none is whole yet: its bytes are committed after its head.
    private func take() -> Bool {
        if head == nil { head = takeHead() }
        guard let record = head, ring.available(wanted: Int(record.byteCount)) >= Int(record.byteCount) else { return false }
        head = nil
        let count = Int(record.byteCount)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: count))
        bytes.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { _ = ring.read(into: base, count: count) } }
        write(record)
        return true
    }

    private func takeHead() -> CaptureRecord? {
        let size = MemoryLayout<CaptureRecord>.size
        guard ring.available(wanted: size) >= size else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: MemoryLayout<CaptureRecord>.alignment) { place in
            guard let base = place.baseAddress else { return nil }
            _ = ring.read(into: base.assumingMemoryBound(to: UInt8.self), count: size)
            return place.loadUnaligned(as: CaptureRecord.self)
        }
    }

    private func write(_ record: CaptureRecord) {
        let isControl = record.kind == .receivedControl || record.kind == .sentControl
        var near = local
        if isControl { near.port = controlPort }
        // Bound to every address: written in the peer's family.
        if near.address.isUnspecified, record.remote.address.family == .v4 { near.address = IPAddress(v4: 0) }
        let (ours, theirs) = (UDPEndpoint(near), UDPEndpoint(record.remote))
        bytes.withUnsafeBytes { bytes in
            switch record.kind {
            case .received, .receivedControl:
                file.add(bytes, time: record.time, isReceived: true, source: theirs, destination: ours)
            case .sent, .sentControl:
                file.add(bytes, time: record.time, isReceived: false, source: ours, destination: theirs)
            case .pull:
                file.add(pull: record.time, samples: Int(record.samples))
            case .stop:
                file.add(stop: record.time, milliseconds: Double(record.samples) / 1000)
            case .pullsMoved:
                file.add(pullsMoved: record.time, milliseconds: Double(record.samples) / 1000)
            case .change:
                file.add(change: String(decoding: bytes, as: UTF8.self), time: record.time)
            }
        }
    }
}

extension UDPEndpoint {
    init(_ address: SocketAddress) {
        let length = address.address.family == .v4 ? 4 : 16
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: address.address.bits >> UInt128(8 * (length - 1 - $0))) }
        self.init(address: bytes, port: address.port)
    }
}

extension CaptureError {
    /// Without the path, which callers tell themselves.
    var reason: String {
        switch self {
        case .unreadable(_, let reason), .damaged(_, _, let reason), .unwritable(_, let reason): reason
        case .unknownLink(_, let name): "link type \(name)"
        }
    }
}
