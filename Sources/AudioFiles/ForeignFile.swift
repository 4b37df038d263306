import Glibc

/// What a file is that libsndfile refuses, by its first bytes: a person is told the name of what they have.
enum ForeignFile {
    /// A sentence without a full stop; nil when nothing is known about the file.
    static func description(path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return String(cString: strerror(EISDIR)) }
        // Its first bytes are gone, and whoever opens it again may wait for ever.
        if status.st_mode & S_IFMT == S_IFIFO { return nil }
        guard let file = fopen(path, "rbe") else { return nil }
        defer { fclose(file) }
        guard status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG else { return "the file is empty" }
        return name(bytes(of: file), tail: tail(of: file)).map { "\($0), which cannot be read here" }
    }

    /// Whether a file named .mp3 holds nothing like MPEG audio; libsndfile's decoder would complain to the terminal.
    static func isMP3InNameOnly(path: String) -> Bool {
        guard path.lowercased().hasSuffix(".mp3"), let file = fopen(path, "rbe") else { return false }
        defer { fclose(file) }
        let head = bytes(of: file)
        // An ID3 tag may be longer than what was read.
        if head.starts(with: "ID3".utf8) || head.isEmpty || head.starts(with: "RIFF".utf8) { return false }
        return !head.indices.dropLast(3).contains { isFrameHeader(head[$0], head[$0 + 1], head[$0 + 2]) }
    }

    /// ISO/IEC 11172-3 section 2.4.1.3: eleven ones, then version, layer, bit rate and sampling rate, none of them reserved.
    private static func isFrameHeader(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        first == 0xFF && second & 0xE0 == 0xE0 && second & 0x18 != 0x08 && second & 0x06 != 0 && third & 0xF0 != 0xF0
            && third & 0x0C != 0x0C
    }

    /// The last bytes, where many MP4 files keep their table of contents.
    private static func tail(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        guard fseek(file, -65_536, SEEK_END) == 0 else { return [] }
        return bytes(of: file)
    }

    private static func bytes(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
    }

    private static func name(_ head: [UInt8], tail: [UInt8]) -> String? {
        func has(_ text: String, at place: Int = 0) -> Bool {
            head.count >= place + text.utf8.count && head[place...].starts(with: text.utf8)
        }
        if has("ftyp", at: 4) {
            if contains("alac", in: head) || contains("alac", in: tail) { return "Apple Lossless (ALAC) in MP4" }
            if contains("mp4a", in: head) || contains("mp4a", in: tail) { return "AAC in MP4" }
            return "MP4"
        }
        if has("ADIF") { return "AAC" }
        // ADTS (ISO/IEC 13818-7): twelve ones, then layer 0, which MPEG audio never has.
        if head.count > 1, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "AAC" }
        if has("\u{1A}E") && head.count > 3 && head[2] == 0xDF { return "Matroska or WebM" }
        if head.starts(with: [0x30, 0x26, 0xB2, 0x75]) { return "Windows Media (ASF)" }
        let names = [
            ("MAC ", "Monkey's Audio"), ("wvpk", "WavPack"), ("MThd", "MIDI"), ("#!AMR", "AMR"), ("DSD ", "DSD"),
            ("TTA1", "True Audio"), ("MP+", "Musepack"), ("MPCK", "Musepack"), ("FLV", "Flash video"),
        ]
        return names.first { has($0.0) }?.1
    }

    private static func contains(_ text: String, in bytes: [UInt8]) -> Bool {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { start in
            bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
        }
    }
}
