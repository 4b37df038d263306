import Softphone
import Testing

@Suite("What cannot be done is said with what, where, and what to do") struct ErrorTests {
    /// The error of a request that must not start.
    private func refusal(_ request: CallRequest) throws -> SoftphoneError {
        do {
            let call = try Softphone().start(request)
            _ = call.close()
        } catch {
            return error
        }
        throw Started()
    }

    private struct Started: Error {}

    /// A sentence, a semicolon, and what to do.
    private func expectHelp(_ error: SoftphoneError, naming name: String, _ place: SourceLocation = #_sourceLocation) {
        let parts = error.description.split(separator: ";", maxSplits: 1)
        #expect(parts.count == 2, "\(error)", sourceLocation: place)
        #expect(error.description.contains(name), "\(error)", sourceLocation: place)
    }

    @Test("a port that is taken")
    func portTaken() throws {
        let first = try Followed(try .test(["rtp://127.0.0.1:0?rtcp=mux"], role: .listen))
        let address = try first.address()
        let error = try refusal(try .test(["rtp://\(address)?rtcp=mux"], role: .listen))
        guard case .network = error else {
            Issue.record("\(error)")
            return
        }
        expectHelp(error, naming: String(address.split(separator: ":")[1]))
        _ = first.close()
    }

    @Test("a port for SIP that leaves none for TLS behind it")
    func lastPort() throws {
        var request = PhoneRequest(
            accounts: [], codecs: [.pcmu], media: try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media)
        request.port = .max
        request.access.security.certificateFile = "/no/such/certificate"
        let error = try #require(throws: SoftphoneError.self) { _ = try Softphone().open(request) }
        guard case .request = error else {
            Issue.record("\(error)")
            return
        }
        expectHelp(error, naming: "65535")
    }

    @Test("a host that nobody knows")
    func unknownHost() throws {
        let error = try refusal(try .test(["rtp://nobody.invalid:5004"], role: .call))
        guard case .network = error else {
            Issue.record("\(error)")
            return
        }
        expectHelp(error, naming: "nobody.invalid")
    }

    @Test("a device that is not there", arguments: ["alsa:nosuchdevice", "file:no/such/file.wav"])
    func noDevice(name: String) throws {
        let error = try refusal(try .test(["rtp://127.0.0.1:5004"], role: .call, device: name))
        switch error {
        case .device, .audioFile: expectHelp(error, naming: String(name.split(separator: ":")[1]))
        default: Issue.record("\(error)")
        }
    }

    @Test("a device's name that means nothing", arguments: ["", "file:", "pipe:x", "room:nowhere", "a\0b"])
    func malformedDevice(name: String) {
        let error = #expect(throws: SoftphoneError.self) { try DeviceChoice.device(name) }
        guard case .device? = error else {
            Issue.record("\(name): \(String(describing: error))")
            return
        }
    }

    @Test("a request without anybody to call")
    func nobody() throws {
        let error = try refusal(try .test([], role: .call))
        guard case .request = error else {
            Issue.record("\(error)")
            return
        }
        expectHelp(error, naming: "nobody")
    }

    @Test("a payload type that is to mean two things")
    func payloadTypeTwice() throws {
        var request = try CallRequest.test(["rtp://127.0.0.1:5004"], role: .call)
        request.media.redundancyPayloadType = request.media.codec.defaultPayloadType
        let error = try refusal(request)
        guard case .request = error else {
            Issue.record("\(error)")
            return
        }
        expectHelp(error, naming: "payload type \(request.media.codec.defaultPayloadType)")
    }

    @Test("files that cannot be read or written")
    func files() throws {
        var request = try CallRequest.test(["rtp://127.0.0.1:5004"], role: .call)
        request.media.playPath = "no/such/file.wav"
        let unreadable = try refusal(request)
        guard case .audioFile = unreadable else {
            Issue.record("\(unreadable)")
            return
        }
        expectHelp(unreadable, naming: "no/such/file.wav")
        for path in [\MediaRequest.recordPath, \.capturePath] {
            var request = try CallRequest.test(["rtp://127.0.0.1:5004"], role: .call)
            request.media[keyPath: path] = "/dev/null/no/such/folder/call.wav"
            let unwritable = try refusal(request)
            guard case .recording = unwritable else {
                Issue.record("\(unwritable)")
                return
            }
            expectHelp(unwritable, naming: "no/such/folder")
        }
    }
}
