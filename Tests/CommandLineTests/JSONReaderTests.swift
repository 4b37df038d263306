import Foundation
import Reporting
import Testing

/// A generator whose sequence follows from its seed.
private struct Random {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    /// A value of any kind, `depth` deep at most.
    mutating func value(_ depth: Int) -> JSONValue {
        switch next(depth > 0 ? 7 : 5) {
        case 0: return .null
        case 1: return .boolean(next(2) == 0)
        case 2: return .integer(next(1 << 30) - (1 << 29))
        case 3: return .number(Double(next(1 << 20)) / 1024 + 0.5 / 1024)
        case 4: return .string(text())
        case 5: return .array((0..<next(4)).map { _ in value(depth - 1) })
        default: return .object((0..<next(4)).map { JSONMember("\($0)" + name(), value(depth - 1)) })
        }
    }

    /// Jansson has no names with U+0000.
    mutating func name() -> String { text().replacingOccurrences(of: "\u{0}", with: "0") }

    mutating func text() -> String {
        let parts = ["a", "\"", "\\", "\n", "\u{0}", "é", "\u{1F4DE}", "[", "}", ",", ":", "//", "\u{7f}"]
        return (0..<next(6)).map { _ in parts[next(parts.count)] }.joined()
    }
}

@Suite("JSON that is read") struct JSONReaderTests {
    @Test("What was written is read back as it was, whatever it holds")
    func roundTrip() throws {
        var random = Random(state: 20_261_123)
        for _ in 0..<2_000 {
            let value = random.value(5)
            #expect(try JSONValue(reading: value.text) == value, "seed 20261123: \(value.text)")
        }
    }

    @Test(
        "Every kind of value is read as its own kind",
        arguments: [
            ("null", .null), (" true ", .boolean(true)), ("-7", .integer(-7)), ("7.0", .number(7)), ("1e3", .number(1000)),
            ("9223372036854775807", .integer(.max)), (#""\ud83d\udcde\u0000\/""#, .string("\u{1F4DE}\u{0}/")),
            ("[1,[]]", .array([.integer(1), .array([])])),
            (#"{"z":1,"a":{}}"#, .object([JSONMember("z", .integer(1)), JSONMember("a", .object([]))])),
        ] as [(String, JSONValue)])
    func kinds(text: String, value: JSONValue) throws { #expect(try JSONValue(reading: text) == value) }

    @Test(
        "What is no JSON is refused with its line",
        arguments: [
            ("", 1), (" \n ", 2), ("{", 1), ("{\n\"a\": 1,\n}", 3), ("[1,]", 1), ("{\"a\":1}\n x", 2), ("nul", 1), ("01", 1),
            ("\"a", 1), ("[\"a\nb\"]", 1), ("{\"a\":1,\n\"a\":2}", 2), ("[NaN]", 1), ("\"\\x\"", 1), ("{1:2}", 1),
            ("1e999", 1), ("99999999999999999999", 1), ("\u{feff}{}", 1), ("'a'", 1), ("[1] // no", 1), (#"{"a\u0000": 1}"#, 1),
            ("\u{0}", 1),
        ])
    func refused(text: String, line: Int) {
        #expect { try JSONValue(reading: text) } throws: { error in
            guard let error = error as? JSONReadError else { return false }
            return abs(error.line - line) <= 1 && !error.reason.isEmpty && "\(error)".contains("line \(error.line)")
        }
    }

    @Test(
        "Bytes that are no UTF-8 are refused",
        arguments: [[0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) { #expect(throws: JSONReadError.self) { try JSONDocument(reading: bytes) } }

    @Test("Nesting is followed as deep as was allowed and no further, closed or not")
    func depth() throws {
        let limits = JSONLimits(depth: 3)
        #expect(try JSONValue(reading: "[[[1]]]", limits: limits) == .array([.array([.array([.integer(1)])])]))
        #expect(try JSONValue(reading: #"["[[[[", {"]": "{{{{"}]"#, limits: limits) != .null)
        for text in ["[\n[[[1]]]]", "[\n{\"a\":[{", "[\n[[" + String(repeating: "[", count: 900_000)] {
            #expect { try JSONValue(reading: text, limits: limits) } throws: { error in
                error as? JSONReadError
                    == JSONReadError(line: 2, column: text.contains("a") ? 7 : 3, reason: "nested more than 3 deep")
            }
        }
    }

    @Test("A text longer than was allowed is refused unread") func tooLong() throws {
        let limits = JSONLimits(bytes: 10)
        #expect(try JSONValue(reading: "\"12345678\"", limits: limits) == .string("12345678"))
        #expect(throws: JSONReadError.self) { try JSONValue(reading: "\"123456789\"", limits: limits) }
    }

    @Test("Each value and each member's name has its line")
    func lines() throws {
        let text = "{\n \"a\\\"[\": [1,\n  true],\n\n \"b\":\n  {\"c\": \"x\"}\n}\n"
        #expect(try JSONDocument(reading: Array(text.utf8)).lines == [1, 2, 2, 2, 3, 5, 6, 6, 6])
    }

    @Test("Broken texts are read or refused with a place in them, and never end the program")
    func broken() {
        let seed: UInt64 = 99
        var random = Random(state: seed)
        for _ in 0..<20_000 {
            var bytes = Array(random.value(4).text.utf8)
            for _ in 0...random.next(3) {
                let index = random.next(bytes.count + 1)
                switch random.next(3) {
                case 0 where index < bytes.count: bytes.remove(at: index)
                case 1 where index < bytes.count: bytes[index] = UInt8(random.next(256))
                default: bytes.insert(Array("[]{}\",:\\\n0e-.t".utf8)[random.next(14)], at: index)
                }
            }
            do throws(JSONReadError) {
                let document = try JSONDocument(reading: bytes, limits: JSONLimits(depth: 8))
                #expect(document.lines.count == Self.tokens(document.value), "seed \(seed): \(bytes)")
            } catch {
                let lines = bytes.count { $0 == 10 } + 1
                #expect((1...lines).contains(error.line), "seed \(seed): \(error) of \(bytes)")
            }
        }
    }

    private static func tokens(_ value: JSONValue) -> Int {
        switch value {
        case .array(let items): 1 + items.reduce(0) { $0 + tokens($1) }
        case .object(let members): 1 + members.reduce(0) { $0 + 1 + tokens($1.value) }
        default: 1
        }
    }
}
