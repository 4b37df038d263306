import CPcap
import Glibc
import Realtime

/// Reads a capture: UDP datagrams, and in captures of ours the pulls of the jitter buffer, in the order they happened.
///
/// libpcap, well kept and well attacked, reads the file: pcap or pcapng in either byte order. What it does not hand on (our
/// custom blocks) `CaptureNotes` finds. Files come from strangers: any bytes are accepted.
public final class CaptureReader {
    /// Frames that hold no datagram, by the reason.
    public struct Skipped: Sendable, Equatable {
        /// Not IP or not UDP.
        public internal(set) var other = 0
        /// Parts of a datagram that IP cut.
        public internal(set) var fragments = 0
        /// Captured in part only, or with lengths that contradict each other.
        public internal(set) var cut = 0
    }

    public let path: String
    /// What the call was made of, in captures of ours; empty in others.
    public let settings: [String: String]
    /// Frames so far that held no datagram.
    public private(set) var skipped = Skipped()
    /// Whether the capture is one of ours: it has the pulls, and its times are host time.
    public var isOurs: Bool { epochNanoseconds != nil }

    private let library: cpcap_library
    private let capture: OpaquePointer
    private let finder: DatagramFinder
    private let notes: CaptureNotes?
    private let epochNanoseconds: Int64?
    private let localAddress: [UInt8]
    private let localPorts: Set<UInt16>
    private var packets = 0
    private var firstNanoseconds: Int64?
    private var end: CaptureError?
    private var hasEnded = false

    /// Opens the capture at `path`.
    ///
    /// - Throws: when it cannot be opened, is no capture, or is a pipe: packets are read in one pass, and notes in another.
    public init(path: String) throws(CaptureError) {
        var status = stat()
        if stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw .unreadable(path: path, reason: "a pipe cannot be read twice, which a capture must be")
        }
        var library = cpcap_library()
        if let missing = cpcap_load(&library) { throw .unreadable(path: path, reason: String(cString: missing)) }
        guard let file = fopen(path, "re") else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let capture = library.fopen_offline(file, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message) else {
            fclose(file)
            throw .unreadable(path: path, reason: message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        }
        let number = library.datalink(capture)
        guard let link = DatagramFinder.Link(rawValue: number) else {
            let name = library.datalink_name(number).map { String(cString: $0) } ?? String(number)
            library.close(capture)
            throw .unknownLink(path: path, name: name)
        }
        self.path = path
        self.library = library
        self.capture = capture
        finder = DatagramFinder(link: link)
        notes = CaptureNotes(path: path)
        let settings = notes?.settings ?? [:]
        self.settings = settings
        epochNanoseconds = settings["epoch_ns"].flatMap { Int64($0) }
        localAddress = Self.bytes(hexadecimal: settings["local_address"] ?? "")
        localPorts = Set((settings["local_ports"] ?? "").split(separator: ",").compactMap { UInt16($0) })
    }

    deinit { library.close(capture) }

    private func event(_ note: CaptureNotes.Pull) -> CaptureEvent {
        let (time, milliseconds) = (hostTime(note.nanoseconds), Double(note.microseconds) / 1000)
        if let change = note.change { return .change(time: time, text: change) }
        guard note.microseconds > 0 else { return .pull(time: time, samples: note.samples) }
        switch UInt32(truncatingIfNeeded: note.samples) {
        case PcapngFormat.stopNote: return .stop(time: time, milliseconds: milliseconds)
        case PcapngFormat.moveNote: return .pullsMoved(time: time, milliseconds: milliseconds)
        default: return .pull(time: time, samples: note.samples)
        }
    }

    /// The next event; nil at the end.
    ///
    /// - Throws: `damaged` where the file breaks off: all before it was good. Then it is at its end.
    public func next() throws(CaptureError) -> CaptureEvent? {
        while true {
            if let pull = notes?.nextPull(after: packets) {
                return event(pull)
            }
            if let datagram = nextDatagram() { return .datagram(datagram) }
            guard hasEnded else { continue }
            // Pulls behind the last packet come before the end.
            if let pull = notes?.nextPull(after: packets) {
                return event(pull)
            }
            guard let reason = end else { return nil }
            end = nil
            throw reason
        }
    }

    /// The datagram of the next frame; nil when it holds none, or when there is no frame any more.
    private func nextDatagram() -> CapturedDatagram? {
        guard !hasEnded else { return nil }
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        switch library.next(capture, &header, &data) {
        case 1: break
        case Int32(PCAP_ERROR_BREAK):
            hasEnded = true
            return nil
        default:
            hasEnded = true
            end = .damaged(
                path: path, packets: packets, reason: library.error(capture).map { String(cString: $0) } ?? "unreadable")
            return nil
        }
        packets += 1
        guard let header, let data else { return nil }
        let stamp = Int64(header.pointee.ts.tv_sec) &* 1_000_000_000 &+ Int64(header.pointee.ts.tv_usec)
        if firstNanoseconds == nil { firstNanoseconds = stamp }
        do throws(DatagramFinder.Miss) {
            let found = try finder.find(UnsafeRawBufferPointer(start: data, count: Int(header.pointee.caplen)))
            return CapturedDatagram(
                time: hostTime(stamp), direction: direction(found), source: found.source,
                destination: found.destination, bytes: Array(found.payload))
        } catch {
            switch error {
            case .other: skipped.other += 1
            case .fragment: skipped.fragments += 1
            case .cut: skipped.cut += 1
            }
            return nil
        }
    }

    private func hostTime(_ nanoseconds: Int64) -> HostTime {
        HostTime(nanoseconds: nanoseconds &- (epochNanoseconds ?? firstNanoseconds ?? 0))
    }

    private func direction(_ found: DatagramFinder.Found) -> CapturedDatagram.Direction {
        guard isOurs else { return .unknown }
        if isLocal(found.destination) { return isLocal(found.source) ? .unknown : .received }
        return isLocal(found.source) ? .sent : .unknown
    }

    /// A socket bound to every address is written down with the unspecified one, which no peer has.
    private func isLocal(_ endpoint: UDPEndpoint) -> Bool {
        localPorts.contains(endpoint.port)
            && (endpoint.address == localAddress || endpoint.address.allSatisfy { $0 == 0 })
    }

    private static func bytes(hexadecimal text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
