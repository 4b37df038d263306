import RTP
import Testing

@Suite struct RTPPacketTests {
    /// The parsed packet, or the error.
    private func parse(_ bytes: [UInt8], _ body: (RTPPacket) -> Void = { _ in }) -> RTPParseError? {
        bytes.withUnsafeBytes { buffer -> RTPParseError? in
            do throws(RTPParseError) {
                body(try RTPPacket(parsing: buffer))
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func everyFieldOfAFullHeaderIsFoundWhereRFC3550Draws() {
        // V=2 P X CC=2, M PT=111, sequence, time stamp, SSRC, two CSRCs, extension BEDE of one word, 3 bytes of
        // payload, 5 of padding.
        let bytes = hex(
            "b2 ef fffe 01020304 a1b2c3d4 00000011 00000022 bede0001 10ff0000 616263 00000000 05")
        let error = parse(bytes) { packet in
            #expect(packet.header.marker)
            #expect(packet.header.payloadType == 111)
            #expect(packet.header.sequence == 0xfffe)
            #expect(packet.header.timestamp == 0x0102_0304)
            #expect(packet.header.ssrc == 0xa1b2_c3d4)
            #expect(packet.csrcCount == 2 && packet.csrc(0) == 0x11 && packet.csrc(1) == 0x22)
            #expect(packet.csrc(2) == nil && packet.csrc(-1) == nil)
            #expect(packet.extensionProfile == 0xbede)
            #expect(Array(packet.extensionData) == [0x10, 0xff, 0, 0])
            #expect(Array(packet.payload) == [0x61, 0x62, 0x63])
        }
        #expect(error == nil)
    }

    @Test func whatIsWrittenIsRead() {
        let header = RTPHeader(marker: true, payloadType: 8, sequence: 7, timestamp: 9, ssrc: 11)
        let extra = RTPHeaderExtension(profile: 0x1000, data: [1, 2, 3, 4, 5])
        var buffer = [UInt8](repeating: 0xee, count: 100)
        let lengths = [83, 84].map { room in
            buffer.withUnsafeMutableBytes {
                header.write(
                    into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room]), csrcs: Array(1...20),
                    headerExtension: extra)
            }
        }
        #expect(lengths == [0, 84], "fixed header, 15 sources, the extension's head and two words")
        let error = parse(Array(buffer[..<84])) { packet in
            #expect(packet.header == header)
            #expect(packet.csrcCount == 15 && packet.csrc(14) == 15)
            #expect(Array(packet.extensionData) == [1, 2, 3, 4, 5, 0, 0, 0])
            #expect(packet.payload.isEmpty)
        }
        #expect(error == nil)
    }

    @Test func everyTruncationOfAHeaderIsRefused() {
        let bytes = hex("92 00 0001 00000002 00000003 00000011 00000022 bede0001 10ff0000")
        for length in 0..<bytes.count { #expect(parse(Array(bytes[..<length])) == .truncated, "length \(length)") }
        #expect(parse(bytes) == nil)
    }

    @Test(arguments: [
        ("00 00 0001 00000002 00000003 ff", RTPParseError.badVersion),
        ("40 00 0001 00000002 00000003 ff", .badVersion),
        ("c0 00 0001 00000002 00000003 ff", .badVersion),
        ("a0 00 0001 00000002 00000003 6100", .badPadding),
        ("a0 00 0001 00000002 00000003 6103", .badPadding),
        ("a0 00 0001 00000002 00000003", .badPadding),
        ("80 c8 0001 00000002 00000003", .reservedPayloadType),
        ("80 4c 0001 00000002 00000003", .reservedPayloadType),
    ])
    func impossibleHeadersAreRefused(text: String, error: RTPParseError) {
        #expect(parse(hex(text)) == error)
    }

    @Test func paddingMayFillTheWholePayload() {
        var left: [Int] = []
        let bytes = hex("a0 00 0001 00000002 00000003 0000")
        for padding in UInt8(1)...3 { #expect(parse(bytes + [padding]) { left.append($0.payload.count) } == nil) }
        #expect(left == [2, 1, 0])
    }
}
