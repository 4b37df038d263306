/// `%41` for "A", RFC 3986 section 2.1.
enum PercentEscape {
    /// Every percent sign is followed by two hexadecimal digits.
    static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, ByteClass.hexadecimal(bytes[index + 1]) != nil,
                    ByteClass.hexadecimal(bytes[index + 2]) != nil
                else { return false }
                index += 2
            }
            index += 1
        }
        return true
    }

    /// Escapes undone. The result may hold any octet, NUL too.
    static func unescaped(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = ByteClass.hexadecimal(bytes[index + 1]), let low = ByteClass.hexadecimal(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    static func escaped(_ text: String, allowed: (UInt8) -> Bool) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            if allowed(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output += [hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15)]
            }
        }
        return output.text
    }

    /// A user part as a person may have typed it: what cannot stand there is escaped, escapes that are there stay.
    static func escapedUser(_ user: String) -> String {
        escaped(user) { isUserCharacter($0) || $0 == UInt8(ascii: "%") }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }

    /// `unreserved` and `user-unreserved` of RFC 3261 section 25.1.
    static func isUserCharacter(_ byte: UInt8) -> Bool {
        if ByteClass.isAlphanumeric(byte) { return true }
        return "-_.!~*'()&=+$,;?/".utf8.contains(byte)
    }
}
