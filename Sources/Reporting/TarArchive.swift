/// Several files in one, as POSIX `ustar` has them: `tar xf` opens it on any machine. Any bytes can be read: what is no such archive is
/// refused with a reason.
public struct TarArchive: Sendable, Equatable {
    /// A file of it.
    public struct File: Sendable, Equatable {
        /// Without folders.
        public let name: String
        /// What it holds.
        public let bytes: [UInt8]

        /// - Parameters:
        ///   - name: at most 99 bytes, without folders.
        ///   - bytes: what it holds.
        public init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

        /// - Parameters:
        ///   - name: at most 99 bytes, without folders.
        ///   - text: what it holds.
        public init(_ name: String, text: String) { self.init(name, Array(text.utf8)) }
    }

    /// Why something is no archive.
    public struct ReadError: Error, Equatable, CustomStringConvertible {
        /// What is wrong, and where.
        public let description: String
    }

    /// In their order.
    public var files: [File]

    private static let block = 512
    private static let longestName = 99
    /// More files are nothing of ours.
    private static let mostFiles = 1000

    /// - Parameter files: in their order.
    public init(_ files: [File] = []) { self.files = files }

    /// The file of that name; `nil`: there is none.
    /// - Parameter name: of the file.
    public subscript(name: String) -> [UInt8]? { files.first { $0.name == name }?.bytes }

    // MARK: - Writing

    /// The archive's bytes.
    /// - Parameter time: when the files were written.
    /// - Returns: what a `.tar` file holds.
    public func bytes(at time: Timestamp) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(files.reduce(2 * Self.block) { $0 + $1.bytes.count + 2 * Self.block })
        for file in files {
            all += Self.header(file, time)
            all += file.bytes
            all += [UInt8](repeating: 0, count: (Self.block - file.bytes.count % Self.block) % Self.block)
        }
        return all + [UInt8](repeating: 0, count: 2 * Self.block)
    }

    private static func header(_ file: File, _ time: Timestamp) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(max(0, number), radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(String(decoding: file.name.utf8.prefix(longestName), as: UTF8.self), at: 0)
        put("0000600", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(octal(file.bytes.count, 11), at: 124)
        put(octal(Int(time.millisecondsSince1970 / 1000), 11), at: 136)
        // The sum is taken with spaces in its own place.
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(sum(header[...]), 6), at: 148)
        header[154] = 0
        return header
    }

    private static func sum(_ header: ArraySlice<UInt8>) -> Int { header.reduce(0) { $0 + Int($1) } }

    // MARK: - Reading

    /// - Parameter bytes: what a `.tar` file holds; what is no plain file in it is passed over.
    /// - Throws: what is no archive, or breaks off.
    public init(reading bytes: [UInt8]) throws(ReadError) {
        files = []
        var offset = 0
        while offset + Self.block <= bytes.count {
            let header = bytes[offset..<offset + Self.block]
            if header.allSatisfy({ $0 == 0 }) { return }
            func text(_ start: Int, _ length: Int) -> String {
                let field = header[offset + start..<offset + start + length]
                return String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
            }
            func octal(_ start: Int, _ length: Int) -> Int? { Int(text(start, length).filter { $0 != " " }, radix: 8) }
            let own = header[offset + 148..<offset + 156]
            let expected = Self.sum(header) - Self.sum(own) + 8 * 32
            guard text(257, 5) == "ustar", octal(148, 8) == expected, let size = octal(124, 12), size >= 0 else {
                throw ReadError(description: "no tar archive, at byte \(offset)")
            }
            let start = offset + Self.block
            guard size <= bytes.count - start else {
                throw ReadError(description: "it breaks off in the file '\(text(0, 100))'")
            }
            let isPlain = header[offset + 156] == 0 || header[offset + 156] == UInt8(ascii: "0")
            if isPlain {
                guard files.count < Self.mostFiles else { throw ReadError(description: "more than \(Self.mostFiles) files") }
                files.append(File(text(0, 100), Array(bytes[start..<start + size])))
            }
            offset = start + (size + Self.block - 1) / Self.block * Self.block
        }
        throw ReadError(
            description: bytes.isEmpty ? "there is nothing in it" : "it breaks off at byte \(min(offset, bytes.count))")
    }
}
