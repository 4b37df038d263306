/// Reads a header field's value from left to right. Folds count as white space.
struct ByteScanner {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position >= bytes.endIndex }

    /// The octet under the hand; nil at the end.
    var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    /// What is left to read.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func advance() { position += 1 }

    mutating func skipSpace() {
        while position < bytes.endIndex, ByteClass.isFoldingSpace(bytes[position]) { position += 1 }
    }

    /// Takes `byte` with the white space around it; false when something else stands there.
    mutating func takeSeparator(_ byte: UInt8) -> Bool {
        let start = position
        skipSpace()
        guard current == byte else {
            position = start
            return false
        }
        position += 1
        skipSpace()
        return true
    }

    /// Takes `byte` only if it stands right here.
    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// The longest run of octets that `matches` accepts, possibly empty.
    mutating func takeWhile(_ matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.endIndex, matches(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    /// A non-empty token; nil when none stands here.
    mutating func takeToken() -> String? {
        let token = takeWhile(ByteClass.isToken)
        return token.isEmpty ? nil : token.text
    }

    /// A quoted string with its quotes and escapes as written; nil when it is not closed, or does not begin here.
    mutating func takeQuoted() -> ArraySlice<UInt8>? {
        guard current == ByteClass.quote else { return nil }
        let start = position
        var index = position + 1
        while index < bytes.endIndex {
            if bytes[index] == ByteClass.backslash {
                index += 2
            } else if bytes[index] == ByteClass.quote {
                position = index + 1
                return bytes[start..<position]
            } else {
                index += 1
            }
        }
        return nil
    }

    /// A decimal number of at most `limit`; nil when no digit stands here or the number is greater.
    mutating func takeNumber(limit: UInt64) -> UInt64? {
        let digits = takeWhile(ByteClass.isDigit)
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - 48))
            guard !overflow, !carry, sum <= limit else { return nil }
            value = sum
        }
        return value
    }

    /// Splits a list at its commas; those in quoted strings and angle brackets separate nothing. White space around an
    /// element is cut. nil when a quoted string is not closed.
    static func elements(of list: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var found: [ArraySlice<UInt8>] = []
        var scanner = ByteScanner(list)
        var start = list.startIndex
        var inBrackets = false
        while let byte = scanner.current {
            switch byte {
            case ByteClass.quote where !inBrackets:
                guard scanner.takeQuoted() != nil else { return nil }
                continue
            case UInt8(ascii: "<"): inBrackets = true
            case UInt8(ascii: ">"): inBrackets = false
            case UInt8(ascii: ",") where !inBrackets:
                found.append(trimmed(list[start..<scanner.position]))
                start = scanner.position + 1
            default: break
            }
            scanner.advance()
        }
        found.append(trimmed(list[start...]))
        return found
    }

    /// `bytes` without the white space at both ends.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes
        while let first = slice.first, ByteClass.isFoldingSpace(first) { slice.removeFirst() }
        while let last = slice.last, ByteClass.isFoldingSpace(last) { slice.removeLast() }
        return slice
    }
}
