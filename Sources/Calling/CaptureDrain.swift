import AudioFiles
import Network
import PacketCapture
import Realtime

/// The capture's end on the recorder's thread: takes records out of the ring and writes them.
final class CaptureDrain: DiskWriter {
    var path: String { file.path }
    private(set) var failureReason: String?

    private let file: CaptureWriter
    private var ring: RingConsumer<UInt8>
    private let local: SocketAddress
    private let controlPort: UInt16
    private var bytes: [UInt8] = []

    init(_ file: CaptureWriter, ring: consuming RingConsumer<UInt8>, local: SocketAddress, controlPort: UInt16) {
        self.file = file
        self.ring = ring
        self.local = local
        self.controlPort = controlPort
    }

    func drain() {
        while take() {}
        guard failureReason == nil else { return }
        do throws(CaptureError) {
            try file.flush()
        } catch {
            failureReason = error.reason
        }
    }

    func finish() { drain() }

    /// The next record; false when none is whole yet: its bytes are committed after its head.
    private func take() -> Bool {
        let head = MemoryLayout<CaptureRecord>.size
        guard ring.available(wanted: head) >= head else { return false }
        let record = ring.withFilled { filled in
            UnsafeRawBufferPointer(filled).loadUnaligned(as: CaptureRecord.self)
        }
        let whole = head + Int(record.byteCount)
        guard ring.available(wanted: whole) >= whole else { return false }
        bytes.removeAll(keepingCapacity: true)
        ring.withFilled { bytes.append(contentsOf: $0[head..<whole]) }
        ring.consume(whole)
        write(record)
        return true
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
