/// Percent-encoding of URLs (RFC 3986 section 2.1).
enum PercentCode {
    /// Decodes once.
    /// - Returns: the bytes, and whether each percent sign had its two digits; one that has not stays as it is.
    static func bytes(_ text: Substring) -> (bytes: [UInt8], isWhole: Bool) {
        var bytes: [UInt8] = []
        var isWhole = true
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            if rest.count >= 2, let high = digit(rest[rest.startIndex]), let low = digit(rest[rest.startIndex + 1]) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                isWhole = false
                bytes.append(byte)
            }
        }
        return (bytes, isWhole)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// A field of a query; what is malformed stays as it is.
    static func field(_ text: Substring) -> String {
        String(decoding: bytes(Substring(text.map { $0 == "+" ? " " : $0 })).bytes, as: UTF8.self)
    }

    /// The segments of a path, each decoded once, so that one may have a `/` in it; empty ones do not count.
    /// - Returns: `nil`: one is malformed, has control characters, or is `.` or `..`.
    static func segments(_ path: String) -> [String]? {
        var segments: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            let (bytes, isWhole) = bytes(part)
            guard isWhole, !bytes.contains(where: { $0 < 32 || $0 == 127 }),
                let segment = String(validating: bytes, as: UTF8.self), segment != ".", segment != ".."
            else { return nil }
            segments.append(segment)
        }
        return segments
    }
}
