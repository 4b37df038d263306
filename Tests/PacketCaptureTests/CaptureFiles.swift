import Glibc
import PacketCapture
import Realtime

/// A file of its own for a test, removed with it.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8]? = nil) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var name = Array("\(folder)/yodel-capture-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if let bytes { _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        close(descriptor)
    }

    deinit { unlink(path) }

    var bytes: [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return all }
            all += chunk[..<count]
        }
    }
}

/// Everything a capture holds, and how it ended.
func readAll(_ path: String) throws -> (events: [CaptureEvent], end: CaptureError?, reader: CaptureReader) {
    let reader = try CaptureReader(path: path)
    var events: [CaptureEvent] = []
    do throws(CaptureError) {
        while let event = try reader.next() { events.append(event) }
        return (events, nil, reader)
    } catch {
        return (events, error, reader)
    }
}

/// Numbers in network byte order, one after the other.
func big(_ values: UInt16...) -> [UInt8] { values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } }

/// A UDP datagram from port 5004 to port 6000.
func udp(_ payload: [UInt8]) -> [UInt8] { big(5004, 6000, UInt16(8 + payload.count), 0) + payload }

/// 192.0.2.1 to 192.0.2.2.
func ipv4(_ payload: [UInt8], proto: UInt8 = 17, fragment: UInt16 = 0, total: UInt16? = nil, options: Int = 0) -> [UInt8] {
    [0x40 | UInt8(5 + options), 0] + big(total ?? UInt16(20 + 4 * options + payload.count), 0, fragment)
        + [64, proto, 0, 0] + [192, 0, 2, 1, 192, 0, 2, 2] + [UInt8](repeating: 1, count: 4 * options) + payload
}

/// 2001:db8::1 to 2001:db8::2.
func ipv6(_ payload: [UInt8], next: UInt8 = 17) -> [UInt8] {
    let prefix: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11)
    return [0x60, 0, 0, 0] + big(UInt16(payload.count)) + [next, 64] + prefix + [1] + prefix + [2] + payload
}

func ethernet(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] { [UInt8](repeating: 2, count: 12) + big(type) + payload }

/// A classic pcap file, as tcpdump writes it on machines of either byte order, in us or ns.
func pcap(_ frames: [[UInt8]], link: UInt32 = 1, isBigEndian: Bool = false, nanoseconds: Bool = false) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        return isBigEndian ? bytes.reversed() : bytes
    }
    func half(_ value: UInt16) -> [UInt8] {
        isBigEndian ? [UInt8(value >> 8), UInt8(value & 0xff)] : [UInt8(value & 0xff), UInt8(value >> 8)]
    }
    var file = word(nanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4) + half(2) + half(4)
    file += word(0) + word(0) + word(65_535) + word(link)
    for (number, frame) in frames.enumerated() {
        // 20 ms apart.
        file += word(1_700_000_000) + word(UInt32(number) * (nanoseconds ? 20_000_000 : 20_000))
        file += word(UInt32(frame.count)) + word(UInt32(frame.count)) + frame
    }
    return file
}
