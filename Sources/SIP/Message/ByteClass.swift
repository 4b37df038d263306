/// Classes of octets in SIP's grammar, RFC 3261 section 25.1.
enum ByteClass {
    static let carriageReturn: UInt8 = 13
    static let lineFeed: UInt8 = 10
    static let space: UInt8 = 32
    static let tab: UInt8 = 9
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 32) >= 97 && (byte | 32) <= 122 }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// White space of a folded value: blanks, and the line ends that folding puts before them.
    static func isFoldingSpace(_ byte: UInt8) -> Bool {
        byte == space || byte == tab || byte == carriageReturn || byte == lineFeed
    }

    /// `token` of the grammar: alphanumeric and `-.!%*_+'~` with the back quote.
    static func isToken(_ byte: UInt8) -> Bool {
        if isAlphanumeric(byte) { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: "*"),
            UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "`"), UInt8(ascii: "'"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    static func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == 127 }

    static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }

    /// The value of a hexadecimal digit; nil for anything else.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

extension Sequence where Element == UInt8 {
    /// The octets as text; what is not UTF-8 becomes U+FFFD.
    var text: String {
        // Octets that lie side by side are not copied first: a message has dozens of such pieces.
        withContiguousStorageIfAvailable { String(decoding: $0, as: UTF8.self) } ?? String(decoding: Array(self), as: UTF8.self)
    }
}

extension String {
    /// ASCII letters made small; everything else is kept. SIP compares names that way, never by Unicode's rules.
    var asciiLowercased: String {
        guard utf8.contains(where: { $0 >= 65 && $0 <= 90 }) else { return self }
        return String(unsafeUninitializedCapacity: utf8.count) { octets in
            var count = 0
            for octet in utf8 {
                octets[count] = ByteClass.lowercased(octet)
                count += 1
            }
            return count
        }
    }

    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && utf8.elementsEqual(other.utf8) { ByteClass.lowercased($0) == ByteClass.lowercased($1) }
    }
}
