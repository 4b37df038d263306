/// The lines of a message before its body, split but not understood.
struct HeaderBlock {
    var startLine: ArraySlice<UInt8>
    var headers = Headers()
    /// Where the body begins.
    var bodyStart: Int
    /// The first problem met; the fields that are sound are kept, so that a request can still be answered.
    var problem: ParseProblem?

    /// nil when there is nothing but line ends.
    init?(_ bytes: ArraySlice<UInt8>, limits: MessageLimits) {
        var start = bytes.startIndex
        while start < bytes.endIndex, bytes[start] == 13 || bytes[start] == 10 { start += 1 }
        guard start < bytes.endIndex else { return nil }
        guard let first = Self.lineEnd(in: bytes, from: start) else {
            startLine = bytes[start...]
            bodyStart = bytes.endIndex
            problem = .noEndOfHeaders
            return
        }
        startLine = bytes[start..<first]
        bodyStart = bytes.endIndex
        if startLine.count > limits.line { problem = .tooLarge }
        readFields(bytes, from: first + 2, limits: limits)
    }

    private mutating func readFields(_ bytes: ArraySlice<UInt8>, from start: Int, limits: MessageLimits) {
        var position = start
        var fields: [HeaderField] = []
        fields.reserveCapacity(24)
        defer { headers = Headers(fields) }
        while true {
            guard let firstEnd = Self.lineEnd(in: bytes, from: position) else {
                note(.noEndOfHeaders)
                return
            }
            if firstEnd == position {
                bodyStart = position + 2
                return
            }
            var end = firstEnd
            // A line that begins with a blank goes on with the field before it.
            while end + 2 < bytes.endIndex, ByteClass.isBlank(bytes[end + 2]), end - position <= limits.line {
                guard let next = Self.lineEnd(in: bytes, from: end + 2) else { break }
                end = next
            }
            guard end - position <= limits.line, fields.count < limits.fields else {
                problem = .tooLarge
                return
            }
            switch Self.field(bytes[position..<end]) {
            case .success(let field): fields.append(field)
            case .failure(let found): note(found)
            }
            position = end + 2
        }
    }

    private mutating func note(_ found: ParseProblem) { problem = problem ?? found }

    /// Where the next CR LF begins; nil when none comes. A CR or LF alone ends nothing: the checks below refuse it.
    private static func lineEnd(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var index = start
        let last = bytes.endIndex - 1
        while index < last {
            if bytes[index] == 13, bytes[index + 1] == 10 { return index }
            index += 1
        }
        return nil
    }

    private static func field(_ line: ArraySlice<UInt8>) -> Result<HeaderField, ParseProblem> {
        var scanner = ByteScanner(line)
        let name = scanner.takeWhile(ByteClass.isToken)
        _ = scanner.takeWhile(ByteClass.isBlank)
        guard !name.isEmpty, scanner.take(UInt8(ascii: ":")) else { return .failure(.badHeaderLine) }
        let value = ByteScanner.trimmed(scanner.rest)
        guard isClean(value) else { return .failure(.controlCharacter) }
        return .success(HeaderField(name: HeaderName(name.text), raw: value))
    }

    /// Control characters stand only in folds, or behind a backslash in a quoted string (RFC 3261 `quoted-pair`).
    private static func isClean(_ value: ArraySlice<UInt8>) -> Bool {
        var inQuotes = false
        var index = value.startIndex
        while index < value.endIndex {
            let byte = value[index]
            switch byte {
            case ByteClass.quote: inQuotes.toggle()
            case ByteClass.backslash where inQuotes && index + 1 < value.endIndex:
                let next = value[index + 1]
                if next == 10 || next == 13 { return false }
                index += 1
            case ByteClass.tab: break
            case 13:
                // A fold: CR LF and a blank.
                guard index + 2 < value.endIndex, value[index + 1] == 10, ByteClass.isBlank(value[index + 2]) else {
                    return false
                }
                index += 2
            default: if ByteClass.isControl(byte) { return false }
            }
            index += 1
        }
        return true
    }
}
