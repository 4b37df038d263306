/// A SIP request, RFC 3261 section 7.1.
public struct Request: Hashable, Sendable {
    public var method: Method
    public var uri: URI
    public var headers: Headers
    public var body: [UInt8]

    public init(method: Method, uri: URI, headers: Headers = Headers(), body: [UInt8] = []) {
        self.method = method
        self.uri = uri
        self.headers = headers
        self.body = body
    }

    /// The message on the wire; Content-Length is always that of the body.
    public var bytes: [UInt8] {
        MessageWriter.bytes(startLine: "\(method.name) \(uri.text) SIP/2.0", headers: headers, body: body)
    }
}

/// A SIP response, RFC 3261 section 7.2.
public struct Response: Hashable, Sendable {
    /// 100 to 699.
    public var status: Int
    /// The reason phrase; may be empty.
    public var reason: String
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, reason: String? = nil, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.reason = reason ?? StatusCode.reason(status)
        self.headers = headers
        self.body = body
    }

    public var isProvisional: Bool { status < 200 }
    public var isSuccess: Bool { status >= 200 && status < 300 }

    /// The message on the wire; Content-Length is always that of the body.
    public var bytes: [UInt8] {
        let phrase = reason.utf8.map { ByteClass.isControl($0) ? ByteClass.space : $0 }.text
        return MessageWriter.bytes(startLine: "SIP/2.0 \(status) \(phrase)", headers: headers, body: body)
    }
}

/// What came: a request or a response.
public enum Message: Hashable, Sendable {
    case request(Request)
    case response(Response)

    public var headers: Headers {
        switch self {
        case .request(let request): request.headers
        case .response(let response): response.headers
        }
    }
}

enum MessageWriter {
    static func bytes(startLine: String, headers: Headers, body: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(512 + body.count)
        output += startLine.utf8
        output += lineEnd
        for field in headers.fields where field.name != .contentLength {
            output += field.name.text.utf8
            output += ": ".utf8
            output += field.raw
            output += lineEnd
        }
        output += "Content-Length: \(body.count)".utf8
        output += lineEnd
        output += lineEnd
        output += body
        return output
    }

    private static let lineEnd: [UInt8] = [ByteClass.carriageReturn, ByteClass.lineFeed]
}
