/// `a=ssrc`: an attribute of one source of the media (RFC 5576); `cname` names whose it is.
public struct SourceAttribute: Hashable, Sendable {
    public var ssrc: UInt32
    public var attribute: String
    public var value: String?

    public init(ssrc: UInt32, attribute: String, value: String? = nil) {
        self.ssrc = ssrc
        self.attribute = attribute
        self.value = value
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let number = reader.word(), let ssrc: UInt32 = number.decimal() else { return nil }
        let rest = reader.remainder()
        let colon = rest.firstIndex(of: .colon)
        let name = rest[..<(colon ?? rest.endIndex)]
        guard name.isToken else { return nil }
        self.init(ssrc: ssrc, attribute: name.text, value: colon.map { rest[($0 + 1)...].text })
    }

    var text: String { "\(ssrc) \(attribute)" + (value.map { ":\($0)" } ?? "") }
}
