/// A telephone number, RFC 3966.
public struct TelURI: Hashable, Sendable {
    /// As written, with visual separators and the leading "+" of a global number.
    public var number: String
    public var parameters: Parameters

    init?(rest: ArraySlice<UInt8>) {
        let number = rest.prefix { $0 != UInt8(ascii: ";") }
        let digits = number.first == UInt8(ascii: "+") ? number.dropFirst() : number
        guard digits.contains(where: { !Self.isSeparator($0) }), digits.count <= 64,
            digits.allSatisfy({ Self.isDigit($0) || Self.isSeparator($0) })
        else { return nil }
        self.number = number.text
        var scanner = ByteScanner(rest[number.endIndex...])
        guard let parameters = Parameters(&scanner), scanner.isAtEnd else { return nil }
        self.parameters = parameters
    }

    public var text: String { "tel:\(number)\(parameters.text)" }

    /// The number without visual separators: `-`, `.`, `(` and `)`.
    public var digits: String { number.utf8.filter { !Self.isSeparator($0) }.text }

    /// The number as a user part at `host` (RFC 3261 section 19.1.6), which is how an account's registrar is asked for it.
    public func sip(host: String, isSecure: Bool = false) -> SIPURI {
        SIPURI(
            isSecure: isSecure, user: digits, host: host,
            parameters: Parameters([Parameters.Item("user", "phone")]))
    }

    public func isEquivalent(to other: TelURI) -> Bool {
        digits.equalsIgnoringCase(other.digits)
            && Set(parameters.items.map { "\($0.name)=\($0.value ?? "")".asciiLowercased })
                == Set(other.parameters.items.map { "\($0.name)=\($0.value ?? "")".asciiLowercased })
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        ByteClass.hexadecimal(byte) != nil || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "#")
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { "-.()".utf8.contains(byte) }
}
