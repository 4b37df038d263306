import CSndFile
import Glibc

/// Whether a file's header tells its length. libsndfile says one in any case.
enum HeaderCheck {
    /// Bytes that are looked at, of a frame and of a header.
    private static let frameBytes = 64
    private static let headerBytes = 4096

    /// MP3 without a count of its frames has a guess: the file's size, cover art and all, divided by that of its first frame.
    /// libsndfile plays no further than that.
    static func tellsLength(_ path: String, _ info: SF_INFO) -> Bool {
        guard info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_MPEG) else { return true }
        return read(path) { descriptor in
            var start = 0
            // ID3v2 tags (ID3v2.4.0 section 3.1), whose lengths have seven bits in a byte; one may have a footer.
            while true {
                let head = bytes(of: descriptor, at: start, count: 10)
                guard head.count == 10, head.starts(with: "ID3".utf8) else { break }
                start += 10 + head[6...].reduce(0) { $0 << 7 | Int($1 & 0x7F) } + (head[5] & 0x10 == 0 ? 0 : 10)
            }
            // The mark stands behind the frame's header and side information; its last bit says whether the count follows.
            let frame = bytes(of: descriptor, at: start, count: frameBytes)
            return frame.indices.dropLast(7).contains { place in
                ["Xing", "Info"].contains { frame[place...].starts(with: $0.utf8) } && frame[place + 7] & 1 == 1
            }
        }
    }

    /// A WAV file whose writer never came back to its header, which tells of no sound though some follows.
    static func isUnfinished(_ path: String, _ info: SF_INFO) -> Bool {
        guard info.frames == 0, info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_WAV) else { return false }
        return read(path) { descriptor in
            let head = bytes(of: descriptor, at: 0, count: headerBytes)
            guard let data = head.indices.dropLast(8).first(where: { head[$0...].starts(with: "data".utf8) }) else {
                return false
            }
            // A file without sound that was finished tells of all its chunks.
            return number(head, at: data + 4) == 0 && number(head, at: 4) <= data && head.count > data + 8
        }
    }

    private static func read(_ path: String, _ look: (Int32) -> Bool) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return look(descriptor)
    }

    private static func bytes(of descriptor: Int32, at place: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }

    /// The 32 bits there, least significant byte first.
    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        bytes[place..<(place + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
