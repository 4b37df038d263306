/// Reads the words of one line; never past its end.
struct LineReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next word; spaces before it are passed over (some devices send two, or one at the end). nil at the end.
    mutating func word() -> ArraySlice<UInt8>? {
        skipSpaces()
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: .space) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[rest.startIndex..<end]
    }

    /// What stands before `separator`, which is passed over; nil, and nothing taken, when it is not there.
    mutating func part(before separator: UInt8) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: separator) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[rest.startIndex..<end]
    }

    /// Everything left, without spaces at its beginning.
    mutating func remainder() -> ArraySlice<UInt8> {
        skipSpaces()
        defer { rest = rest[rest.endIndex...] }
        return rest
    }

    private mutating func skipSpaces() {
        while rest.first == .space { rest = rest.dropFirst() }
    }
}

extension UInt8 {
    static let space = UInt8(ascii: " ")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")

    /// `token-char` of RFC 8866 section 9.
    var isTokenCharacter: Bool {
        switch self {
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x30...0x39, 0x41...0x5a, 0x5e...0x7e: true
        default: false
        }
    }

    var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension ArraySlice<UInt8> {
    /// A word of one token character and more.
    var isToken: Bool { !isEmpty && allSatisfy(\.isTokenCharacter) }

    /// UTF-8, or else ISO 8859-1, which old devices write.
    var text: String {
        String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(lazy.map { Unicode.Scalar($0) }))
    }

    /// A decimal number of digits alone that is at most `limit`.
    func decimal<Number: FixedWidthInteger>(upTo limit: Number = .max) -> Number? {
        guard !isEmpty else { return nil }
        var value: Number = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Number(byte - 0x30))
            guard !overflow, !carry, sum <= limit else { return nil }
            value = sum
        }
        return value
    }
}

extension String {
    /// A number written as `digits` or `digits.digits`, at most nine and six of them.
    var plainDecimal: Double? {
        let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...9).contains(whole.count), whole.allSatisfy(\.isDigit) else { return nil }
        if parts.count == 1 { return Double(self) }
        guard parts.count == 2, (1...6).contains(parts[1].count), parts[1].allSatisfy(\.isDigit) else { return nil }
        return Double(self)
    }

    /// The same letters in ASCII lower case; names of encodings and parameters are compared so.
    var asciiLowercased: String {
        utf8.contains { (0x41...0x5a).contains($0) }
            ? String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self) : self
    }
}

extension Double {
    /// Up to six places after the point, without needless ones: `20`, `2.5`.
    var plainText: String {
        guard magnitude < 1e12 else { return description }
        let millionths = Int64((self * 1e6).rounded())
        let fraction = String(millionths.magnitude % 1_000_000 + 1_000_000).dropFirst()
        let sign = millionths < 0 ? "-" : ""
        let whole = "\(sign)\(millionths.magnitude / 1_000_000)"
        guard let last = fraction.lastIndex(where: { $0 != "0" }) else { return whole }
        return "\(whole).\(fraction[...last])"
    }
}
