import Link

extension Attribute {
    /// Reads the part after `a=`.
    init(line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: .colon) else {
            self = Attribute(flag: line.text)
            return
        }
        let name = line[..<colon].text
        let value = line[(colon + 1)...]
        self = Attribute(name: name, value: value) ?? .other(name: name, value: value.text)
    }

    private init(flag name: String) {
        if let direction = MediaDirection(rawValue: name) {
            self = .direction(direction)
            return
        }
        self =
            switch name {
            case "rtcp-mux": .rtcpMux
            case "ice-lite": .iceLite
            case "end-of-candidates": .endOfCandidates
            default: .other(name: name, value: nil)
            }
    }

    /// nil: the name is unknown, or the value is not what it promises.
    private init?(name: String, value: ArraySlice<UInt8>) {
        let read: Attribute? =
            switch name {
            case "rtpmap": RTPMap(value: value).map(Attribute.rtpmap)
            case "fmtp": FormatParameters(value: value).map(Attribute.formatParameters)
            case "ptime": Attribute.milliseconds(value).map(Attribute.packetTime)
            case "maxptime": Attribute.milliseconds(value).map(Attribute.maximumPacketTime)
            case "rtcp": RTCPAttribute(value: value).map(Attribute.rtcp)
            case "ssrc": SourceAttribute(value: value).map(Attribute.source)
            case "group": GroupAttribute(value: value).map(Attribute.group)
            case "mid": value.isToken ? .mediaID(value.text) : nil
            case "ice-ufrag": value.isICEText ? .iceUsername(value.text) : nil
            case "ice-pwd": value.isICEText ? .icePassword(MediaSecret(value.text)) : nil
            case "ice-options": Attribute.words(value).map(Attribute.iceOptions)
            case "candidate": ICECandidate(value: value).map(Attribute.candidate)
            case "fingerprint": Fingerprint(value: value).map(Attribute.fingerprint)
            case "setup": SetupRole(rawValue: value.text).map(Attribute.setup)
            case "crypto": CryptoAttribute(value: value).map(Attribute.crypto)
            default: nil
            }
        guard let read else { return nil }
        self = read
    }

    /// More than nothing, at most ten seconds: no packet is longer.
    private static func milliseconds(_ value: ArraySlice<UInt8>) -> Double? {
        var reader = LineReader(value)
        guard let number = reader.word()?.text.plainDecimal, number > 0, number <= 10_000 else { return nil }
        return number
    }

    private static func words(_ value: ArraySlice<UInt8>) -> [String]? {
        let words = value.split(separator: .space)
        return words.isEmpty ? nil : words.map(\.text)
    }

    /// Whether this is an attribute that yodel knows, with a value that it could not read.
    public var isMalformed: Bool {
        guard case .other(let name, let value) = self else { return false }
        return switch name {
        case "rtpmap", "fmtp", "ptime", "maxptime", "rtcp", "ssrc", "group", "mid", "ice-ufrag", "ice-pwd",
            "ice-options", "candidate", "fingerprint", "setup", "crypto":
            true
        case "rtcp-mux", "ice-lite", "sendrecv", "sendonly", "recvonly", "inactive": value != nil
        default: false
        }
    }
}
