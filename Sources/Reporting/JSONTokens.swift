/// The lines of the tokens of a JSON text. Jansson reads values, but says where something stands only in its errors.
struct JSONTokens {
    /// Line (from 1) of each value and each member name, in the order in which they begin.
    private(set) var lines: [Int] = []

    /// Goes over `bytes` once. What is not JSON is passed over: Jansson refuses it with a reason.
    /// - Parameter maximumDepth: deeper nesting is refused at the bracket that goes too deep.
    init(_ bytes: [UInt8], maximumDepth: Int) throws(JSONReadError) {
        var depth = 0
        var line = 1
        var lineStart = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                lineStart = index + 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ":"): break
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                guard depth <= maximumDepth else {
                    throw JSONReadError(
                        line: line, column: index - lineStart + 1, reason: "nested more than \(maximumDepth) deep")
                }
                lines.append(line)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""):
                lines.append(line)
                index = Self.endOfString(bytes, from: index)
            default:
                lines.append(line)
                index = Self.endOfWord(bytes, from: index)
            }
            index += 1
        }
    }

    /// The closing quote of the string that begins at `start`, or the last byte when there is none.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        // A line break ends nothing in JSON, but no string holds one: it is left for the next token to count.
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\n") { return index - 1 }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count - 1)
    }

    private static let wordEnds = Array(" \t\r\n,:[]{}\"".utf8)

    /// The last byte of the number or literal that begins at `start`.
    private static func endOfWord(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 1 < bytes.count, !wordEnds.contains(bytes[index + 1]) { index += 1 }
        return index
    }
}
