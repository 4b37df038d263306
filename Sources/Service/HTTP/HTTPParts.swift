import Glibc
import NIOCore
import NIOHTTP1

/// Takes requests off a connection.
struct RequestReader {
    private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    init(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator) { self.parts = parts }

    /// The next request's head; `nil`: nothing comes any more.
    mutating func head() async throws -> HTTPRequestHead? {
        while let part = try await parts.next() {
            if case .head(let head) = part { return head }
        }
        return nil
    }

    /// The whole body; `nil`: it is too long.
    /// - Parameter writer: tells a client that waits for it to send its body (RFC 9110 section 10.1.1).
    mutating func body(of head: HTTPRequestHead, _ writer: ResponseWriter) async throws -> [UInt8]? {
        let limit = BodyFields.limits.bytes
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit { return nil }
        let waits = head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
        if waits, head.version != .http1_0 { try await writer.goOn() }
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .head: continue
            case .body(let buffer):
                guard body.count + buffer.readableBytes <= limit else { return nil }
                body.append(contentsOf: buffer.readableBytesView)
            case .end: return body
            }
        }
        throw ChannelError.inputClosed
    }

    /// Reads a little on, so that a client that is still writing gets to read our answer.
    mutating func discard() async {
        var left = 1 << 20
        while left > 0, let part = try? await parts.next() {
            if case .end = part { return }
            if case .body(let buffer) = part { left -= buffer.readableBytes }
        }
    }
}

/// Puts a response on a connection.
struct ResponseWriter {
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    private let version: HTTPVersion
    private let isHead: Bool
    private static let pieceBytes = 16 * 1024

    init(_ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>, _ head: HTTPRequestHead) {
        (self.outbound, version, isHead) = (outbound, head.version, head.method == .HEAD)
    }

    /// The body may come.
    func goOn() async throws { try await outbound.write(.head(HTTPResponseHead(version: version, status: .continue))) }

    func write(_ response: APIResponse, closes: Bool) async throws {
        let bytes = if case .bytes(let bytes) = response.body { bytes } else { [UInt8]() }
        var head = head(response)
        // RFC 9110 section 8.6: where there can be no body there is no length.
        if response.status != 204 { head.headers.add(name: "Content-Length", value: "\(bytes.count)") }
        if closes { head.headers.add(name: "Connection", value: "close") }
        try await outbound.write(.head(head))
        // In pieces: each has time of its own to be taken, and a bundle is long.
        var rest = bytes[...]
        while !isHead, !rest.isEmpty {
            let piece = rest.prefix(4 * Self.pieceBytes)
            rest = rest[piece.endIndex...]
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
        try await end()
    }

    /// Sends a file as long as it is now, a piece at a time. One that shrinks meanwhile ends the connection.
    func write(_ response: APIResponse, file path: String) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return try await write(Self.gone.response, closes: true) }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var left = Int(status.st_size)
        var head = head(response)
        head.headers.add(name: "Content-Length", value: "\(left)")
        try await outbound.write(.head(head))
        while !isHead, left > 0 {
            let piece = [UInt8](unsafeUninitializedCapacity: min(left, 4 * Self.pieceBytes)) { room, count in
                count = max(0, read(descriptor, room.baseAddress, room.count))
            }
            guard !piece.isEmpty else { throw ChannelError.eof }
            left -= piece.count
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
        try await end()
    }

    private static let gone = Problem(404, "the file is gone", "it was there a moment ago; list them again")

    /// Without a length: chunks follow.
    func begin(_ response: APIResponse) async throws { try await outbound.write(.head(head(response))) }

    /// In pieces, so that little of it waits for a client that does not read.
    func append(_ text: String) async throws {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest[piece.endIndex...]
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
    }

    func end() async throws { try await outbound.write(.end(nil)) }

    private func head(_ response: APIResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: response.status))
        if !response.contentType.isEmpty { head.headers.add(name: "Content-Type", value: response.contentType) }
        head.headers.add(name: "Cache-Control", value: "no-store")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        for (name, value) in response.headers { head.headers.add(name: name, value: value) }
        return head
    }
}
