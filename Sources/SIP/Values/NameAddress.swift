/// `"Display name" <uri>;parameters`, or `uri;parameters` (RFC 3261 sections 20.10 and 25.1): From, To, Contact, Route ...
public struct NameAddress: Hashable, Sendable {
    /// Without quotes and escapes. It comes from the network: escape it before it is shown.
    public var displayName: String?
    public var uri: URI
    public var parameters: Parameters

    public init(displayName: String? = nil, uri: URI, parameters: Parameters = Parameters()) {
        self.displayName = displayName
        self.uri = uri
        self.parameters = parameters
    }

    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        var name: String?
        if scanner.current == ByteClass.quote {
            guard let quoted = scanner.takeQuoted() else { return nil }
            name = QuotedString.content(quoted.text)
            scanner.skipSpace()
            guard scanner.current == UInt8(ascii: "<") else { return nil }
        } else if let bracket = bytes.firstIndex(of: UInt8(ascii: "<")) {
            let words = scanner.takeWhile { ByteClass.isToken($0) || ByteClass.isFoldingSpace($0) }
            guard scanner.position == bracket else { return nil }
            let display = ByteScanner.trimmed(words)
            name = display.isEmpty ? nil : display.text
        }
        let address: ArraySlice<UInt8>
        let isBare = scanner.current != UInt8(ascii: "<")
        if isBare {
            // Without brackets a ";" begins the field's parameters, and "?" and "," cannot stand in the URI.
            address = scanner.takeWhile { $0 != UInt8(ascii: ";") && !ByteClass.isFoldingSpace($0) }
            guard !address.contains(UInt8(ascii: "?")), !address.contains(UInt8(ascii: ",")) else { return nil }
        } else {
            scanner.advance()
            address = scanner.takeWhile { $0 != UInt8(ascii: ">") }
            guard scanner.take(UInt8(ascii: ">")) else { return nil }
        }
        guard let uri = URI(bytes: address), let parameters = Parameters(&scanner) else { return nil }
        scanner.skipSpace()
        guard scanner.isAtEnd else { return nil }
        displayName = name
        self.uri = uri
        self.parameters = parameters
    }

    public var text: String {
        let name = displayName.map { QuotedString.quoted($0) + " " } ?? ""
        return "\(name)<\(uri.text)>\(parameters.text)"
    }

    /// The `tag` parameter of From and To.
    public var tag: String? {
        get { parameters["tag"] }
        set { if let newValue { parameters["tag"] = newValue } else { parameters.remove("tag") } }
    }
}
