/// Text of strangers (names of devices, files and peers, reasons of libraries) on its way to a terminal or a log.
package enum PrintableText {
    /// `text` with every character that a terminal would obey, or that would change how the rest is read, as `\\uXXXX`: so it
    /// reads in JSON too, which has such characters in strings only.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text`; of one that is longer than a person reads, its beginning and its end.
    ///
    /// A name in it may have any length, and a line that no output has room for is lost whole (`OutputQueue`).
    package static func clipped(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > 2 * mostAtEnd else { return text }
        return "\(String(scalars.prefix(mostAtEnd))) [...] \(String(scalars.suffix(mostAtEnd)))"
    }

    /// Characters that are left at either end of a clipped text: the longest path has room.
    private static let mostAtEnd = 5000

    /// C0 and C1 controls (ECMA-48), line and paragraph separators, and what turns the direction of text (Unicode UAX 9).
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
