import SIP
import Testing

@Suite("Streams are cut into messages") struct StreamFramerTests {
    private let message = wire(
        """
        OPTIONS sip:a@example.com SIP/2.0
        Content-Length: 4

        body
        """)

    private func elements(_ chunks: [[UInt8]]) throws -> [StreamFramer.Element] {
        var framer = StreamFramer()
        var found: [StreamFramer.Element] = []
        for chunk in chunks { try framer.receive(chunk, into: &found) }
        return found
    }

    @Test("octet by octet or all at once: the same messages") func anyCut() throws {
        let stream = message + message + message
        let whole = try elements([stream])
        #expect(whole == Array(repeating: .message(message), count: 3))
        #expect(try elements(stream.map { [$0] }) == whole)
        #expect(try elements([Array(stream[..<50]), Array(stream[50...])]) == whole)
    }

    @Test("a ping asks for a pong; a lone line end does not harm the next message") func keepAlive() throws {
        #expect(try elements([[13, 10, 13, 10]]) == [.ping])
        #expect(try elements([[13, 10]]) == [.pong])
        #expect(try elements([[13, 10] + message]) == [.pong, .message(message)])
        #expect(try elements([[13, 10], message]) == [.pong, .message(message)])
        #expect(try elements([message + [13, 10, 13, 10] + message]) == [.message(message), .ping, .message(message)])
        #expect(try elements([[13], [10] + message]) == [.pong, .message(message)])
    }

    @Test("half a message waits and is counted") func pending() throws {
        var framer = StreamFramer()
        var found: [StreamFramer.Element] = []
        try framer.receive(message.prefix(20), into: &found)
        #expect(found.isEmpty)
        #expect(framer.pendingBytes == 20)
    }

    @Test(
        "a length that cannot be followed closes the stream",
        arguments: ["-1", "4294967295", "1000000000000000000000000000000", "70000", "x", ""])
    func badLength(value: String) {
        var framer = StreamFramer()
        var found: [StreamFramer.Element] = []
        #expect(throws: StreamFramer.Failure.self) {
            try framer.receive(wire("OPTIONS sip:a SIP/2.0\nContent-Length: \(value)\n\n"), into: &found)
        }
    }

    @Test("a body whose length is not told closes the stream; without a body it may be missing") func noLength() throws {
        let bare = wire("OPTIONS sip:a SIP/2.0\nTo: <sip:a>\n\n")
        #expect(try elements([bare + message]) == [.message(bare), .message(message)])
        for name in ["Content-Type", "c"] {
            #expect(throws: StreamFramer.Failure.badContentLength) {
                _ = try elements([wire("OPTIONS sip:a SIP/2.0\n\(name): text/plain\n\nbody")])
            }
        }
    }

    @Test("two lengths close the stream unless they agree") func twoLengths() throws {
        let same = wire("OPTIONS sip:a SIP/2.0\nContent-Length: 0\nl: 0\n\n")
        #expect(try elements([same]) == [.message(same)])
        #expect(throws: StreamFramer.Failure.badContentLength) {
            _ = try elements([wire("OPTIONS sip:a SIP/2.0\nContent-Length: 0\nl: 5\n\n12345")])
        }
    }

    @Test("header fields without an end are cut off at 64 KiB") func endless() {
        var framer = StreamFramer()
        var found: [StreamFramer.Element] = []
        #expect(throws: StreamFramer.Failure.tooLarge) {
            for _ in 0..<100 { try framer.receive([UInt8](repeating: 65, count: 1000), into: &found) }
        }
    }
}
