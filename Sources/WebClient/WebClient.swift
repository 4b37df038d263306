import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Asks servers by HTTP/1.1, each time over a connection of its own. Redirections are not followed: they are answers like others.
package struct WebClient: Sendable {
    package struct Request: Sendable {
        package var method: String
        /// With the query.
        package var path: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// Seconds until the answer's head has to be here; `nil`: no limit.
        package var patience: Double?

        package init(
            _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
            patience: Double? = nil
        ) {
            (self.method, self.path, self.headers, self.body, self.patience) = (method, path, headers, body, patience)
        }
    }

    package struct Answer: Sendable {
        package var status: Int
        /// Names in lower case.
        package var headers: [String: String]
    }

    /// Why there is no answer.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// Why the certificate of a server that is there counts for nothing.
        package enum Distrust: Sendable, Equatable {
            /// It is of no authority that is trusted, or too old.
            case authority
            /// It is of another name.
            case name
            /// The file of authorities cannot be read: nobody was asked.
            case file
        }

        package let description: String
        /// `nil`: it is not the certificate.
        package let distrust: Distrust?

        package init(_ description: String, _ distrust: Distrust? = nil) {
            (self.description, self.distrust) = (description, distrust)
        }

        /// Whatever stopped a connection, in words.
        init(_ error: any Error) {
            self =
                switch error {
                case let error as Failure: error
                case let error as NIOConnectionError:
                    error.connectionErrors.first.map { Failure($0.error) } ?? Failure("its name is not known")
                case let error as IOError: Failure(String(cString: strerror(error.errnoCode)))
                case ChannelError.connectTimeout: Failure("no connection came about in time")
                case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                    Failure("its certificate is of another name", .name)
                case let error where error is NIOSSLError || error is BoringSSLError: Failure(encryption: "\(error)")
                default: Failure("\(error)")
                }
        }

        /// - Parameter text: what TLS says, with places in sources that help nobody.
        private init(encryption text: String) {
            guard !text.contains("CERTIFICATE_VERIFY_FAILED") else {
                self.init("its certificate is of no authority that is trusted, or too old", .authority)
                return
            }
            guard !text.contains("EOF during handshake") else {
                self.init("it hangs up on TLS; it may speak HTTP without")
                return
            }
            let reason = text.firstMatch(of: #/OPENSSL_internal:(\w+)/#).map { $0.1.lowercased().split(separator: "_") }
            self.init("TLS with it fails: \(reason?.joined(separator: " ") ?? text)")
        }
    }

    private static let connecting = TimeAmount.seconds(5)
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// PEM file of authorities that certificates may be from; `nil`: the system's.
    package var authorities: String?

    package init(authorities: String? = nil) { self.authorities = authorities }

    /// - Parameters:
    ///   - address: its path does not count.
    ///   - onBody: gets the body as it comes, with the status that it belongs to, on a thread of the connection's; `nil`: nobody wants
    ///     it, and the connection ends with the head.
    /// - Returns: the head of the answer, once the body is over too where it was wanted.
    package func ask(
        _ request: Request, of address: WebAddress, onBody: (@Sendable (_ status: Int, [UInt8]) -> Void)? = nil
    ) async throws(Failure) -> Answer {
        do {
            let tls = address.isEncrypted ? try context() : nil
            let loop = Self.group.next()
            let answer = loop.makePromise(of: Answer.self)
            let head = request.head(for: address)
            let channel = ClientBootstrap(group: loop).connectTimeout(Self.connecting)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls {
                            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: address.serverName))
                        }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(AnswerHandler(head, request.body, patience: request.patience, answer, onBody))
                    }
                }
                .connect(host: address.host, port: address.port)
            channel.whenFailure { answer.fail($0) }
            channel.whenSuccess { channel in answer.futureResult.whenComplete { _ in channel.close(promise: nil) } }
            return try await answer.futureResult.get()
        } catch {
            throw Failure(error)
        }
    }

    private func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorities { configuration.trustRoots = .file(authorities) }
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw Failure("\(authorities ?? "the system's file of authorities") holds no certificates that can be read", .file)
        }
    }
}

extension WebClient.Request {
    fileprivate func head(for address: WebAddress) -> HTTPRequestHead {
        var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: path)
        head.headers = ["Host": address.authority, "User-Agent": "yodel", "Connection": "close"]
        if !body.isEmpty || method != "GET" { head.headers.add(name: "Content-Length", value: "\(body.count)") }
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        return head
    }
}

/// Sends one request, and collects its answer.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    private let body: [UInt8]
    private let patience: Double?
    private let answer: EventLoopPromise<WebClient.Answer>
    private let onBody: (@Sendable (Int, [UInt8]) -> Void)?
    private var head: WebClient.Answer?
    private var limit: Scheduled<Void>?

    init(
        _ request: HTTPRequestHead, _ body: [UInt8], patience: Double?, _ answer: EventLoopPromise<WebClient.Answer>,
        _ onBody: (@Sendable (Int, [UInt8]) -> Void)?
    ) {
        (self.request, self.body, self.patience, self.answer, self.onBody) = (request, body, patience, answer, onBody)
    }

    func channelActive(context: ChannelHandlerContext) {
        if let patience {
            limit = context.eventLoop.scheduleTask(in: .milliseconds(Int64(patience * 1000))) { [answer] in
                answer.fail(WebClient.Failure("no answer in \(patience) s"))
            }
        }
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        if !body.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status.code >= 200 else { return }
            limit?.cancel()
            let fields = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
            let new = WebClient.Answer(status: Int(head.status.code), headers: fields)
            self.head = new
            if onBody == nil { answer.succeed(new) }
        case .body(let part):
            if let head { onBody?(head.status, Array(part.readableBytesView)) }
        case .end:
            if let head { answer.succeed(head) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        answer.fail(WebClient.Failure(head == nil ? "it hung up without an answer" : "it hung up within its answer"))
        context.fireChannelInactive()
    }
}
