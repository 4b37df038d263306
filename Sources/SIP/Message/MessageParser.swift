/// Parses one whole message. Strict where guessing would be dangerous: what is not well formed is answered 400, as
/// RFC 4475 asks for, and never repaired.
public struct MessageParser: Sendable {
    public let limits: MessageLimits

    public init(limits: MessageLimits = MessageLimits()) { self.limits = limits }

    /// Parses a datagram, or a message that `StreamFramer` cut out of a stream. Octets behind the body are ignored
    /// (RFC 3261 section 18.3).
    public func parse(_ bytes: [UInt8]) -> ParseOutcome { parse(bytes[...]) }

    public func parse(_ bytes: ArraySlice<UInt8>) -> ParseOutcome {
        guard bytes.count <= limits.message else { return .rejected(.tooLarge, answer: nil) }
        guard let block = HeaderBlock(bytes, limits: limits) else { return .keepAlive }
        if block.startLine.starts(with: "SIP/".utf8) {
            do throws(ParseProblem) {
                return .message(.response(try response(block, bytes)))
            } catch {
                return .rejected(error, answer: nil)
            }
        }
        do throws(ParseProblem) {
            return .message(.request(try request(block, bytes)))
        } catch {
            return .rejected(error, answer: error == .tooLarge ? nil : RejectionAnswer.response(to: block, error))
        }
    }

    private func request(_ block: HeaderBlock, _ bytes: ArraySlice<UInt8>) throws(ParseProblem) -> Request {
        let parts = block.startLine.split(separator: ByteClass.space, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(ByteClass.isToken) else { throw .badStartLine }
        guard Self.isVersion(parts[2]) else { throw .badStartLine }
        guard Self.isOurVersion(parts[2]) else { throw .badVersion }
        if let problem = block.problem { throw problem }
        guard let uri = URI(bytes: parts[1], inRequestLine: true) else { throw .badRequestURI }
        let method = Method(parts[0].text)
        try FieldRules.check(block.headers, method: method)
        guard FieldRules.single(.maxForwards, in: block.headers) else { throw .repeatedField }
        return Request(method: method, uri: uri, headers: block.headers, body: try body(block, bytes))
    }

    private func response(_ block: HeaderBlock, _ bytes: ArraySlice<UInt8>) throws(ParseProblem) -> Response {
        if let problem = block.problem { throw problem }
        let line = block.startLine
        // "SIP/2.0 200 Reason": the reason may be empty, its blank may not.
        guard line.count >= 12, Self.isOurVersion(line.prefix(7)) else { throw .badVersion }
        let code = line.dropFirst(8).prefix(3)
        let start = line.startIndex
        guard line[start + 7] == ByteClass.space, line[start + 11] == ByteClass.space, code.allSatisfy(ByteClass.isDigit),
            !line.contains(where: ByteClass.isControl)
        else { throw .badStartLine }
        let status = code.reduce(0) { $0 * 10 + Int($1 - 48) }
        guard status >= 100, status < 700 else { throw .badStartLine }
        try FieldRules.check(block.headers, method: nil)
        return Response(
            status: status, reason: line.dropFirst(12).text, headers: block.headers, body: try body(block, bytes))
    }

    private func body(_ block: HeaderBlock, _ bytes: ArraySlice<UInt8>) throws(ParseProblem) -> [UInt8] {
        let rest = bytes[block.bodyStart...]
        guard let field = block.headers.first(.contentLength) else { return Array(rest) }
        guard FieldRules.single(.contentLength, in: block.headers) else { throw .repeatedField }
        guard let length = FieldRules.number(field, limit: UInt64(limits.message)), Int(length) <= rest.count else {
            throw .badContentLength
        }
        return Array(rest.prefix(Int(length)))
    }

    private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count >= 7, word.prefix(4).text.equalsIgnoringCase("SIP/") else { return false }
        return word.dropFirst(4).allSatisfy { ByteClass.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isOurVersion(_ word: ArraySlice<UInt8>) -> Bool { word.text.equalsIgnoringCase("SIP/2.0") }
}
