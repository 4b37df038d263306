import Dispatch
import Glibc
import Service
import Settings
import Softphone
import Testing
import WebClient

/// What `yodel listen http://` and `https://` open, asked over the network.
@Suite("The port where a browser's call is waited for") struct DoorPortTests {
    /// Certificates for 127.0.0.1, of the tests of signalling.
    private static func certificate(_ name: String, file: String = #filePath) -> String {
        let tests = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return "\(tests)/SignallingTransportTests/Fixtures/\(name).pem"
    }

    private static func open(
        _ scheme: String, port: Int = 0, environment: [String: String] = [:]
    ) async throws -> BrowserDoor {
        let variables = environment.merging(["YODEL_DEVICE": "null"]) { given, _ in given }
        return try await blocking {
            let configuration = try Configuration(environment: variables)
            return try BrowserDoor(
                BrowserURI(parsing: "\(scheme)://127.0.0.1:\(port)/"), configuration, media: MediaRequest(configuration),
                echoes: true)
        }
    }

    /// Runs what waits where no task does.
    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test("by https the page comes with the certificate that was named, and --allow says who may call; nothing comes by http")
    func encrypted() async throws {
        let door = try await Self.open(
            "https",
            environment: [
                "YODEL_TLS_CERTIFICATE": Self.certificate("server"), "YODEL_TLS_KEY": Self.certificate("key"),
                "YODEL_ALLOW": "192.0.2.0/24",
            ])
        let address = try #require(WebAddress(door.url))
        #expect(address.isEncrypted)
        let browser = WebClient(authorities: Self.certificate("ca"))
        let page = try await browser.ask(WebClient.Request("GET", "/"), of: address)
        #expect(page.status == 200 && page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        let call = WebClient.Request(
            "POST", "/call", headers: [("Authorization", "Bearer \(door.token)"), ("Content-Type", "application/sdp")],
            body: Array("v=0".utf8))
        #expect(try await browser.ask(call, of: address).status == 403, "127.0.0.1 is outside of --allow")
        let failure = await #expect(throws: WebClient.Failure.self) {
            try await WebClient(authorities: Self.certificate("other-ca")).ask(WebClient.Request("GET", "/"), of: address)
        }
        #expect(failure?.distrust == .authority, "a certificate of nobody who is trusted: \(String(describing: failure))")
        #expect(failure?.description.contains("ssl") == false, "in words: \(String(describing: failure))")
        let plain = try #require(WebAddress("http" + door.url.dropFirst("https".count)))
        await #expect(throws: WebClient.Failure.self) {
            try await WebClient().ask(WebClient.Request("GET", "/"), of: plain)
        }
        try await Self.blocking { door.close() }
    }

    @Test("https without a certificate, or with files that hold none, is refused with what to name")
    func withoutCertificate() async {
        let files = ["YODEL_TLS_CERTIFICATE": "/dev/null", "YODEL_TLS_KEY": "/dev/null"]
        for environment in [[:], files] {
            let error = await #expect(throws: SoftphoneError.self) { try await Self.open("https", environment: environment) }
            #expect(error?.description.contains("--tls-certificate") == true, "\(String(describing: error))")
        }
    }

    @Test("the port is there again at once for the next one, though a connection of before lingers")
    func again() async throws {
        let former = try await Self.open("http")
        let port = try #require(WebAddress(former.url)?.port)
        let visitor = try await Self.blocking { try Visitor(port: UInt16(port)) }
        // Who closes first keeps the pair of ports for a minute.
        try await Self.blocking { former.close() }
        let next = try await Self.open("http", port: port)
        #expect(next.url == former.url && next.token != former.token)
        try await Self.blocking { next.close() }
        visitor.leave()
    }
}

/// A connection over which the page was asked for, and which stays open.
private struct Visitor {
    private let descriptor: Int32

    struct NotAnswered: Error {}

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        var first: UInt8 = 0
        guard isConnected, write(descriptor, request, request.count) == request.count, read(descriptor, &first, 1) == 1 else {
            close(descriptor)
            throw NotAnswered()
        }
    }

    func leave() { close(descriptor) }
}
