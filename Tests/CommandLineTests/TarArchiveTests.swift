import Reporting
import Testing

@Suite("Several files in one") struct TarArchiveTests {
    private let time = Timestamp(millisecondsSince1970: 1_763_000_000_000)
    private let archive = TarArchive([
        .init("bundle.json", text: "{}\n"), .init("empty", []), .init("block", [UInt8](repeating: 7, count: 512)),
        .init("more", [UInt8](repeating: 9, count: 513)),
    ])

    @Test("come out as they went in, each in whole blocks, with two empty ones at the end")
    func roundTrip() throws {
        let bytes = archive.bytes(at: time)
        #expect(bytes.count == 512 * (2 + 1 + 2 + 3 + 2))
        #expect(try TarArchive(reading: bytes) == archive)
        #expect(archive["block"]?.count == 512 && archive["none"] == nil)
        // What `tar` looks at: the name, the mode, the magic.
        #expect(Array(bytes[0..<12]) == Array("bundle.json".utf8) + [0])
        #expect(Array(bytes[100..<107]) == Array("0000600".utf8) && Array(bytes[257..<262]) == Array("ustar".utf8))
    }

    @Test("with a name that is too long keep the beginning of it")
    func longName() throws {
        let long = TarArchive([.init(String(repeating: "x", count: 200), [1])])
        #expect(try TarArchive(reading: long.bytes(at: time)).files.map(\.name) == [String(repeating: "x", count: 99)])
    }

    @Test("that break off, or are no archive, are refused with a reason")
    func broken() throws {
        let bytes = archive.bytes(at: time)
        for length in stride(from: 0, to: bytes.count - 1024, by: 100) {
            #expect(throws: TarArchive.ReadError.self) { try TarArchive(reading: Array(bytes[..<length])) }
        }
        #expect(throws: TarArchive.ReadError.self) { try TarArchive(reading: [UInt8](repeating: 65, count: 2048)) }
        var large = bytes
        // A size beyond all bytes, with a sum that is right.
        for index in 124..<135 { large[index] = UInt8(ascii: "7") }
        let sum = large[..<512].enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
        for (index, digit) in (String(repeating: "0", count: 6) + String(sum, radix: 8)).utf8.suffix(6).enumerated() {
            large[148 + index] = digit
        }
        #expect(throws: TarArchive.ReadError.self) { try TarArchive(reading: large) }
    }

    @Test("with any byte changed are read or refused, and never trap")
    func mutated() {
        let bytes = archive.bytes(at: time)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8(truncatingIfNeeded: index &* 31 | 1)
            _ = try? TarArchive(reading: changed)
        }
    }
}
