/// `a=candidate`: an address at which ICE may reach the writer (RFC 8839 section 5.1).
public struct ICECandidate: Hashable, Sendable {
    /// Another word of the line: `generation 0`, `ufrag abc`.
    public struct Extension: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public var foundation: String
    /// 1: RTP, 2: RTCP.
    public var component: UInt16
    /// `UDP` or `TCP`, as written.
    public var transport: String
    public var priority: UInt32
    /// Numeric, or a name (`.local` names of browsers).
    public var address: String
    public var port: UInt16
    /// `host`, `srflx`, `prflx`, `relay`.
    public var type: String
    public var relatedAddress: String?
    public var relatedPort: UInt16?
    public var extensions: [Extension]

    public init(
        foundation: String, component: UInt16 = 1, transport: String = "UDP", priority: UInt32, address: String,
        port: UInt16, type: String, relatedAddress: String? = nil, relatedPort: UInt16? = nil,
        extensions: [Extension] = []
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.address = address
        self.port = port
        self.type = type
        self.relatedAddress = relatedAddress
        self.relatedPort = relatedPort
        self.extensions = extensions
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let foundation = reader.word(), (1...32).contains(foundation.count), foundation.isICEText,
            let component: UInt16 = reader.word()?.decimal(upTo: 256), component > 0,
            let transport = reader.word(), transport.isToken,
            let priority: UInt32 = reader.word()?.decimal(), let address = reader.word(),
            let port: UInt16 = reader.word()?.decimal(),
            let keyword = reader.word(), keyword.elementsEqual("typ".utf8), let type = reader.word(), type.isToken
        else { return nil }
        self.init(
            foundation: foundation.text, component: component, transport: transport.text, priority: priority,
            address: address.text, port: port, type: type.text)
        while let name = reader.word() {
            guard let value = reader.word() else { return nil }
            switch name.text {
            case "raddr" where relatedAddress == nil: relatedAddress = value.text
            case "rport" where relatedPort == nil:
                guard let port: UInt16 = value.decimal() else { return nil }
                relatedPort = port
            default: extensions.append(Extension(name: name.text, value: value.text))
            }
        }
    }

    /// The value of the line.
    public var text: String {
        var text = "\(foundation) \(component) \(transport) \(priority) \(address) \(port) typ \(type)"
        if let relatedAddress { text += " raddr \(relatedAddress)" }
        if let relatedPort { text += " rport \(relatedPort)" }
        for item in extensions { text += " \(item.name) \(item.value)" }
        return text
    }
}

extension ArraySlice<UInt8> {
    /// One `ice-char` of RFC 8839 section 5.4 and more: letters, digits, `+`, `/`. Candidates of some devices use more
    /// of the token characters.
    var isICEText: Bool { !isEmpty && count <= 256 && allSatisfy { $0.isTokenCharacter || $0 == .slash } }
}
