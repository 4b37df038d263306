import Glibc

/// What captures of ours hold besides packets: settings, and the pulls of the jitter buffer and what changed, with their place
/// among the packets. libpcap skips such blocks, so this walks over the file for itself and looks at nothing else.
final class CaptureNotes {
    struct Pull {
        /// On the file's time line.
        let nanoseconds: Int64
        let samples: Int
        /// Of a note that is no pull.
        var microseconds = 0
        /// What changed, where the note says that.
        var change: String?
    }

    /// Longer blocks are none of ours.
    private static let longestBlock = 1 << 20
    /// Longer settings are none of ours; in bytes.
    private static let longestSettings = 1 << 16

    private let file: UnsafeMutablePointer<FILE>
    private var isSwapped = false
    private(set) var settings: [String: String] = [:]
    private var pulls: [Pull] = []
    private var position = 0
    private var packetsBefore = 0

    /// nil when the file is no pcapng.
    init?(path: String) {
        guard let file = fopen(path, "re") else { return nil }
        self.file = file
        guard let first = nextHeader(), first.type == PcapngFormat.sectionHeader else { return nil }
        readSection(length: first.length)
        // The settings stand before the first packet.
        while let header = nextHeader(), header.type != PcapngFormat.enhancedPacket {
            guard take(header) else { break }
            if !settings.isEmpty { break }
        }
    }

    deinit { fclose(file) }

    /// The next pull that happened when `packets` packets had been captured, or before; nil when none is left of those.
    func nextPull(after packets: Int) -> Pull? {
        guard !settings.isEmpty else { return nil }
        while position == pulls.count {
            guard let header = nextHeader(), take(header) else { return nil }
        }
        guard packetsBefore <= packets else { return nil }
        defer { position += 1 }
        return pulls[position]
    }

    private func nextHeader() -> (type: UInt32, length: Int)? {
        var words: (UInt32, UInt32) = (0, 0)
        guard withUnsafeMutableBytes(of: &words, { fread($0.baseAddress, 1, 8, file) }) == 8 else { return nil }
        guard words.0 != PcapngFormat.sectionHeader else { return (words.0, Int(words.1)) }
        return (native(words.0), Int(native(words.1)))
    }

    /// The section header's magic tells the byte order of all that follows, its own length too.
    private func readSection(length: Int) {
        guard let magic = read(count: 4)?.number(UInt32.self, at: 0) else { return }
        isSwapped = magic == PcapngFormat.byteOrderMagic.byteSwapped
        let length = isSwapped ? Int(UInt32(truncatingIfNeeded: length).byteSwapped) : length
        skip(length - 12)
    }

    /// Reads a block of ours, skips another; false when the file cannot go on.
    private func take(_ header: (type: UInt32, length: Int)) -> Bool {
        if header.type == PcapngFormat.sectionHeader {
            readSection(length: header.length)
            return true
        }
        guard header.length >= 12 else { return false }
        let length = header.length - 12
        guard header.type == PcapngFormat.customBlock, length >= 12, length <= Self.longestBlock else {
            return skip(length + 4)
        }
        guard let bytes = read(count: length) else { return false }
        if native(bytes.number(UInt32.self, at: 0)) == PcapngFormat.enterprise,
            native(bytes.number(UInt32.self, at: 4)) == PcapngFormat.magic
        {
            read(PcapngFormat.Content(rawValue: native(bytes.number(UInt32.self, at: 8))), bytes)
        }
        return skip(4)
    }

    private func read(_ content: PcapngFormat.Content?, _ bytes: [UInt8]) {
        switch content {
        case .settings:
            // They stand once, before the first packet.
            guard settings.isEmpty, bytes.count <= Self.longestSettings else { return }
            for line in bytes[12...].split(separator: 10) {
                let pair = line.split(separator: 61, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
                if pair.count == 2 { settings[pair[0]] = pair[1] }
            }
        case .pulls:
            guard bytes.count >= 20 else { return }
            packetsBefore = Int(clamping: native(bytes.number(UInt64.self, at: 12)))
            pulls.removeAll(keepingCapacity: true)
            position = 0
            for start in stride(from: 20, through: bytes.count - PcapngFormat.pullBytes, by: PcapngFormat.pullBytes) {
                pulls.append(
                    Pull(
                        nanoseconds: native(bytes.number(Int64.self, at: start)),
                        samples: Int(native(bytes.number(UInt32.self, at: start + 8))),
                        microseconds: Int(native(bytes.number(UInt32.self, at: start + 12)))))
            }
        case .change:
            guard bytes.count >= 28 else { return }
            packetsBefore = Int(clamping: native(bytes.number(UInt64.self, at: 12)))
            let text = String(decoding: bytes[28...].prefix { $0 != 10 }, as: UTF8.self)
            pulls = [Pull(nanoseconds: native(bytes.number(Int64.self, at: 20)), samples: 0, change: text)]
            position = 0
        case nil:
            break
        }
    }

    private func native<Value: FixedWidthInteger>(_ value: Value) -> Value { isSwapped ? value.byteSwapped : value }

    private func read(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return fread(&bytes, 1, count, file) == count ? bytes : nil
    }

    @discardableResult
    private func skip(_ count: Int) -> Bool { count >= 0 && fseek(file, count, SEEK_CUR) == 0 }
}

extension [UInt8] {
    fileprivate func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
