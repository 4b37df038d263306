import ICE
import Link
import Settings
import Softphone
import TestPrograms
import Testing

/// A TURN server that gives everybody an allocation, and knows who has not given it back.
private actor AllocationCounter {
    private let place: LoopbackSocket
    nonisolated var port: UInt16 { place.port }
    private(set) var given = 0
    private var holders: Set<UInt16> = []
    var held: Int { holders.count }

    init() throws { place = try LoopbackSocket(isNonBlocking: true) }

    /// Answers whoever has asked.
    func serve() { place.answerWaiting { answer($0, from: $1) } }

    private func answer(_ bytes: ArraySlice<UInt8>, from source: UInt16) -> [UInt8]? {
        guard let request = bytes.withUnsafeBytes({ try? STUNMessage(parsing: $0) }), request.messageClass == .request else {
            return nil
        }
        guard request.has(.messageIntegrity) else {
            var refusal = STUNBuilder(.error, request.method, request.transaction)
            refusal.add(errorCode: 401, "Unauthorized")
            refusal.add(.realm, text: "realm")
            refusal.add(.nonce, text: "nonce")
            return refusal.finished()
        }
        let loopback = IPAddress(v4: 0x7f00_0001)
        var answer = STUNBuilder(.success, request.method, request.transaction)
        if request.method == .allocate {
            if holders.insert(source).inserted { given += 1 }
            answer.add(.xorRelayedAddress, SocketAddress(loopback, port: source ^ 1))
            answer.add(.xorMappedAddress, SocketAddress(loopback, port: source))
            answer.add(.lifetime, number: UInt32(600))
        } else if request.method == .refresh, request.unsigned32(.lifetime) == 0 {
            holders.remove(source)
            answer.add(.lifetime, number: UInt32(0))
        }
        return answer.finished(STUNKey(username: "user", realm: "realm", password: ""))
    }
}

@Suite("A browser's offer that cannot be answered") struct BrowserAnswerTests {
    private func request(_ offer: String, _ port: UInt16) throws -> BrowserRequest {
        let configuration = try Configuration(environment: [
            "YODEL_DEVICE": "null", "YODEL_TURN": "127.0.0.1:\(port)", "YODEL_TURN_USER": "user",
        ])
        var request = BrowserRequest(offer: Array(offer.utf8), codecs: [.pcmu], media: try MediaRequest(configuration))
        request.isLocal = true
        return request
    }

    @Test("costs no allocation at a TURN server", arguments: ["nonsense", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"])
    func allocations(offer: String) async throws {
        let server = try AllocationCounter()
        let serving = Task.detached {
            while !Task.isCancelled {
                await server.serve()
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        defer { serving.cancel() }
        for _ in 0..<3 {
            let request = try request(offer, server.port)
            await #expect(throws: SoftphoneError.self) { try await Softphone().answer(request) }
        }
        for _ in 0..<1000 {
            if await server.given == 3, await server.held == 0 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(await server.given == 3)
        #expect(await server.held == 0)
    }
}
