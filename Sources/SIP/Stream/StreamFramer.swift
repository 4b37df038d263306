/// Cuts a TCP or TLS stream into messages (RFC 3261 section 18.3). A stream whose framing is lost cannot be mended:
/// it has to be closed.
public struct StreamFramer: Sendable {
    /// What stood in the stream.
    public enum Element: Equatable, Sendable {
        /// A whole message, for `MessageParser`.
        case message([UInt8])
        /// CR LF CR LF: answer with a pong, CR LF (RFC 5626 section 4.4.1).
        case ping
        /// CR LF between messages: the answer to our ping.
        case pong
    }

    /// Why a stream has to be closed.
    public enum Failure: String, Error, Hashable, Sendable {
        /// A message, or its header fields, beyond the limits.
        case tooLarge
        /// A Content-Length that is missing, repeated with another value, or no number.
        case badContentLength
        /// A message that does not end: for half a minute nothing was whole.
        case unfinished
    }

    private var buffer: [UInt8] = []
    /// Octets of `buffer` that were taken already: they go all at once, however many messages they were.
    private var taken = 0
    /// Octets of `buffer` already looked through for the end of the header fields.
    private var searched = 0
    /// Octets of the message under way, once its header fields are there: what comes in small pieces is not read anew with each.
    private var total: Int?
    private let limits: MessageLimits

    public init(limits: MessageLimits = MessageLimits()) { self.limits = limits }

    /// Octets of a message that has not ended. A caller that sees them stay for long closes the stream.
    public var pendingBytes: Int { buffer.count - taken }

    /// Takes what the stream brought and returns what is whole. Elements before a failure are in `elements`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, into elements: inout [Element]) throws(Failure) {
        buffer += bytes
        defer {
            buffer.removeFirst(taken)
            (taken, searched) = (0, max(0, searched - taken))
        }
        while let element = try next() { elements.append(element) }
    }

    private mutating func next() throws(Failure) -> Element? {
        if let signal = takeLineEnds() { return signal }
        guard taken < buffer.count, buffer[taken] != 13 else { return nil }
        if total == nil { total = try messageLength() }
        guard let total else {
            guard pendingBytes <= limits.message else { throw .tooLarge }
            return nil
        }
        guard pendingBytes >= total else { return nil }
        let message = Array(buffer[taken..<taken + total])
        take(total)
        return .message(message)
    }

    /// Line ends before a message. A single CR LF is a pong or what an untidy sender left behind; two are a ping. A line feed or a
    /// carriage return alone is passed over.
    private mutating func takeLineEnds() -> Element? {
        while taken < buffer.count {
            if buffer[taken] == 10 {
                take(1)
                continue
            }
            guard buffer[taken] == 13, taken + 1 < buffer.count else { return nil }
            guard buffer[taken + 1] == 10 else {
                take(1)
                continue
            }
            // Half a second pair may still come; whoever sends a ping sends it in one piece, so do not wait for it.
            let isPing = taken + 3 < buffer.count && buffer[taken + 2] == 13 && buffer[taken + 3] == 10
            take(isPing ? 4 : 2)
            return isPing ? .ping : .pong
        }
        return nil
    }

    private mutating func take(_ count: Int) {
        taken += count
        searched = taken
        total = nil
    }

    /// Octets of the message under way; nil while its header fields have not come.
    private mutating func messageLength() throws(Failure) -> Int? {
        guard let end = headerEnd() else { return nil }
        let length = end - taken + (try contentLength(buffer[taken..<end]))
        guard length <= limits.message else { throw .tooLarge }
        return length
    }

    /// Where the body begins; nil while the empty line has not come.
    private mutating func headerEnd() -> Int? {
        var index = max(taken, searched - 3)
        while index + 3 < buffer.count {
            if buffer[index] == 13, buffer[index + 1] == 10, buffer[index + 2] == 13, buffer[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        searched = buffer.count
        return nil
    }

    private func contentLength(_ head: ArraySlice<UInt8>) throws(Failure) -> Int {
        guard let block = HeaderBlock(head, limits: limits) else { throw .badContentLength }
        if block.problem == .tooLarge { throw .tooLarge }
        let fields = block.headers.all(.contentLength)
        // On a stream the length is not optional (RFC 3261 section 20.14). Without one, a body would be taken for the next message.
        guard let first = fields.first else {
            guard !block.headers.contains(.contentType) else { throw .badContentLength }
            return 0
        }
        guard let length = FieldRules.number(first, limit: UInt64(UInt32.max)),
            fields.allSatisfy({ FieldRules.number($0, limit: UInt64(UInt32.max)) == length })
        else { throw .badContentLength }
        guard length <= UInt64(limits.message) else { throw .tooLarge }
        return Int(length)
    }
}
