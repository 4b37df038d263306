import RTP
import Realtime
import Testing

@Suite("Redundant payloads (RFC 2198)") struct RedundantPayloadTests {
    private struct Copy: Equatable {
        let payloadType: UInt8
        let offset: UInt32
        let bytes: [UInt8]
    }

    private struct Read: Equatable {
        let primaryType: UInt8
        let primary: [UInt8]
        let copies: [Copy]
    }

    private func read(_ bytes: [UInt8]) throws(RedundancyParseError) -> Read {
        let result: Result<Read, RedundancyParseError> = bytes.withUnsafeBytes { buffer in
            do throws(RedundancyParseError) {
                let payload = try RedundantPayload(parsing: buffer)
                var copies: [Copy] = []
                payload.forEachCopy {
                    copies.append(Copy(payloadType: $0.payloadType, offset: $0.timestampOffset, bytes: Array($0.payload)))
                }
                return .success(
                    Read(primaryType: payload.primaryPayloadType, primary: Array(payload.primary), copies: copies))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    @Test("of two copies and a primary block are read field by field")
    func fields() throws {
        // F=1 PT=5 offset 800 length 3 | F=1 PT=7 offset 160 length 1 | F=0 PT=5 | data
        let bytes = hex("85 0c8003 87 028001 05 aabbcc dd eeff")
        #expect(
            try read(bytes)
                == Read(
                    primaryType: 5, primary: [0xee, 0xff],
                    copies: [
                        Copy(payloadType: 5, offset: 800, bytes: [0xaa, 0xbb, 0xcc]),
                        Copy(payloadType: 7, offset: 160, bytes: [0xdd]),
                    ]))
    }

    @Test("may hold no copy, empty copies and an empty primary block")
    func empty() throws {
        #expect(try read(hex("6f 0102")) == Read(primaryType: 111, primary: [1, 2], copies: []))
        #expect(
            try read(hex("ef 000000 6f"))
                == Read(primaryType: 111, primary: [], copies: [Copy(payloadType: 111, offset: 0, bytes: [])]))
        #expect(
            try read(hex("ef ffff ff 6f") + [UInt8](repeating: 9, count: 1023)).copies
                == [Copy(payloadType: 111, offset: 16_383, bytes: [UInt8](repeating: 9, count: 1023))])
    }

    @Test("that are cut anywhere in front of the primary block are refused")
    func truncated() throws {
        let bytes = hex("ef 0c8003 ef 028001 6f aabbcc dd eeff")
        for length in 0..<13 {
            #expect(throws: RedundancyParseError.truncated, "\(length)") { try read(Array(bytes[..<length])) }
        }
        #expect(try read(Array(bytes[..<13])).primary.isEmpty)
    }

    @Test("with more copies than anyone needs are refused")
    func flood() throws {
        let header = hex("ef 028000")
        let allowed = Array(repeatElement(header, count: RedundantPayload.maximumCopies).joined()) + [0x6f]
        #expect(try read(allowed).copies.count == 8)
        #expect(throws: RedundancyParseError.tooManyCopies) { try read(header + allowed) }
    }

    @Test("of any bytes never trap", arguments: [1, 2, 3] as [UInt64])
    func anyBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var good = 0
        for _ in 0..<50_000 {
            let length = Int(random.next() % 40)
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            // Short lengths, so that some fit.
            for index in stride(from: 2, to: bytes.count, by: 4) { bytes[index] &= 0xfc }
            if let read = try? read(bytes) {
                good += 1
                #expect(read.copies.reduce(read.primary.count) { $0 + $1.bytes.count } <= bytes.count, "seed \(seed)")
            }
        }
        #expect(good > 5_000, "seed \(seed)")
    }

    @Test(
        "made by the packer carry what was sent so many packets back, oldest first",
        arguments: [[1], [2], [3], [4], [1, 2], [2, 4], [1, 2, 3, 4]])
    func packed(offsets: [Int]) throws {
        var packer = RedundancyPacker(payloadType: 111)
        var wanted = RedundancyOffsets()
        for offset in offsets { wanted.insert(RedundancyOffsets(offset: offset)) }
        var buffer = [UInt8](repeating: 0, count: 2000)
        for number in 0..<30 {
            let payload = [UInt8](repeating: UInt8(number), count: 10 + number)
            let timestamp = UInt32(truncatingIfNeeded: 0xffff_f000 + 960 * number)
            let length = payload.withUnsafeBytes { primary in
                buffer.withUnsafeMutableBytes { packer.write(primary, timestamp: timestamp, offsets: wanted, into: $0) }
            }
            payload.withUnsafeBytes { packer.keep($0, timestamp: timestamp) }
            let there = offsets.filter { $0 <= number }.sorted(by: >)
            guard !there.isEmpty else {
                #expect(length == 0)
                continue
            }
            let expected = there.map {
                Copy(
                    payloadType: 111, offset: UInt32(960 * $0),
                    bytes: [UInt8](repeating: UInt8(number - $0), count: 10 + number - $0))
            }
            #expect(try read(Array(buffer[..<length])) == Read(primaryType: 111, primary: payload, copies: expected))
        }
    }

    @Test("leave out copies that are too old, too long, or make the packet too long")
    func limits() throws {
        var packer = RedundancyPacker(payloadType: 0)
        var buffer = [UInt8](repeating: 0, count: 4000)
        func write(_ count: Int, at timestamp: UInt32, _ offset: Int, room: Int = 4000) -> Int {
            [UInt8](repeating: 1, count: count).withUnsafeBytes { primary in
                buffer.withUnsafeMutableBytes {
                    packer.write(
                        primary, timestamp: timestamp, offsets: RedundancyOffsets(offset: offset),
                        into: UnsafeMutableRawBufferPointer(rebasing: $0[..<room]))
                }
            }
        }
        func keep(_ count: Int, at timestamp: UInt32) {
            [UInt8](repeating: 2, count: count).withUnsafeBytes { packer.keep($0, timestamp: timestamp) }
        }
        keep(100, at: 0)
        #expect(write(100, at: 16_383, 1) == 205)
        #expect(write(100, at: 16_384, 1) == 0, "older than 14 bits tell")
        keep(1024, at: 1000)
        #expect(write(10, at: 1100, 1) == 0, "longer than 10 bits tell")
        #expect(write(10, at: 1100, 2) == 115)
        keep(700, at: 2000)
        #expect(write(700, at: 2100, 1) == 0, "longer than a packet should be")
        #expect(write(500, at: 2100, 1) == 1205)
        #expect(write(500, at: 2100, 1, room: 1204) == 0)
        packer.removeAll()
        #expect(write(10, at: 2100, 1) == 0)
        #expect(RedundancyOffsets(offset: 0).isEmpty && RedundancyOffsets(offset: 5).isEmpty)
    }
}
