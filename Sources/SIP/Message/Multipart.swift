/// A body's type and octets, opaque to the user agent.
public struct Body: Hashable, Sendable {
    /// `type/subtype` with parameters, as in Content-Type.
    public var contentType: String
    public var bytes: [UInt8]

    public init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }

    public static func sdp(_ bytes: [UInt8]) -> Body { Body(contentType: "application/sdp", bytes: bytes) }

    /// The type without parameters, in small letters.
    public var mediaType: String {
        ByteScanner.trimmed(contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.map(ByteClass.lowercased)[...]).text
    }

    public var isSDP: Bool { mediaType == "application/sdp" }

    /// A parameter of the type without its quotes, such as `charset`.
    public func parameter(_ name: String) -> String? {
        var scanner = ByteScanner(Array(contentType.utf8)[...])
        _ = scanner.takeWhile { $0 != UInt8(ascii: ";") }
        return Parameters(&scanner)?.unquoted(name)
    }
}

extension Body {
    /// The body of a message; nil when it has none. A body without a type is taken for SDP only where a caller says so.
    public init?(headers: Headers, bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        self.init(contentType: headers.text(.contentType) ?? "", bytes: bytes)
    }

    /// The SDP in this body: the body itself, or the first SDP part of a multipart body, one level of nesting deep.
    public var sdp: Body? { sdp(depth: 0) }

    /// Whether its SDP has keys of media (RFC 4568): who reads them hears the call.
    public var carriesKeys: Bool {
        let lines = sdp?.bytes.split { $0 == ByteClass.carriageReturn || $0 == ByteClass.lineFeed } ?? []
        return lines.contains { $0.starts(with: "a=crypto:".utf8) }
    }

    private func sdp(depth: Int) -> Body? {
        if isSDP { return self }
        guard mediaType.hasPrefix("multipart/"), depth < 2 else { return nil }
        for part in parts { if let found = part.sdp(depth: depth + 1) { return found } }
        return nil
    }

    /// The parts of a multipart body (RFC 2046 section 5.1); empty when it is none, or not well formed. At most 32.
    public var parts: [Body] {
        guard let boundary = parameter("boundary"), !boundary.isEmpty, boundary.utf8.count <= 70 else { return [] }
        let marker = Array("--\(boundary)".utf8)
        var found: [Body] = []
        var start: Int?
        var index = 0
        while index + marker.count <= bytes.count, found.count < 32 {
            let atLineStart = index == 0 || bytes[index - 1] == 10
            guard atLineStart, bytes[index..<index + marker.count].elementsEqual(marker) else {
                index += 1
                continue
            }
            if let start { found.append(Self.part(bytes[start..<max(start, Self.lineEndBefore(index, in: bytes))])) }
            index += marker.count
            if bytes[index...].starts(with: "--".utf8) { return found }
            while index < bytes.count, bytes[index] != 10 { index += 1 }
            index = min(index + 1, bytes.count)
            start = index
        }
        // No closing boundary: the last part is not whole.
        return found
    }

    private static func lineEndBefore(_ index: Int, in bytes: [UInt8]) -> Int {
        index >= 2 && bytes[index - 2] == 13 ? index - 2 : max(0, index - 1)
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> Body {
        // The part's own header fields are read like a message's: the dummy start line makes one of it.
        let head = Array("PART\r\n".utf8) + bytes
        guard let block = HeaderBlock(head[...], limits: MessageLimits()) else {
            return Body(contentType: "text/plain", bytes: [])
        }
        return Body(
            contentType: block.headers.text(.contentType) ?? "text/plain", bytes: Array(head[block.bodyStart...]))
    }
}
