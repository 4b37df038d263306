/// An `m=` line and the lines that belong to it (RFC 8866 section 5.14).
public struct MediaDescription: Hashable, Sendable {
    /// `audio`, `video`, `application` ...
    public var media: String
    /// 0: the line is refused or not in use (RFC 3264 section 6).
    public var port: UInt16
    /// Number of ports, where the line tells one.
    public var portCount: UInt16?
    /// `RTP/AVP`, `RTP/SAVP`, `UDP/TLS/RTP/SAVPF` ...
    public var transport: String
    /// Payload types for RTP; at least one.
    public var formats: [String]
    public var information: String?
    public var connections: [Connection] = []
    public var bandwidths: [Bandwidth] = []
    public var otherLines: [OtherLine] = []
    public var attributes: [Attribute] = []

    public init(media: String, port: UInt16, portCount: UInt16? = nil, transport: String, formats: [String]) {
        self.media = media
        self.port = port
        self.portCount = portCount
        self.transport = transport
        self.formats = formats
    }

    /// Reads the part after `m=`. Each word is checked, so that no loop depends on what a word contains.
    init(line: ArraySlice<UInt8>, maxFormats: Int) throws(SDPParseError.Reason) {
        var reader = LineReader(line)
        guard let media = reader.word(), media.isToken else { throw .media("media") }
        guard let portWord = reader.word() else { throw .media("port") }
        let slash = portWord.firstIndex(of: .slash)
        guard let port: UInt16 = portWord[..<(slash ?? portWord.endIndex)].decimal() else { throw .media("port") }
        var portCount: UInt16?
        if let slash {
            guard let count: UInt16 = portWord[(slash + 1)...].decimal() else { throw .media("port") }
            portCount = count
        }
        guard let transport = reader.word(),
            transport.split(separator: .slash, omittingEmptySubsequences: false).allSatisfy(\.isToken)
        else { throw .media("protocol") }
        var formats: [String] = []
        while let format = reader.word() {
            guard format.isToken else { throw .media("format") }
            guard formats.count < maxFormats else { throw .tooMany("formats") }
            formats.append(format.text)
        }
        guard !formats.isEmpty else { throw .media("format") }
        self.init(
            media: media.text, port: port, portCount: portCount, transport: transport.text, formats: formats)
    }

    var text: String {
        let ports = portCount.map { "\(port)/\($0)" } ?? "\(port)"
        return "\(media) \(ports) \(transport) \(formats.joined(separator: " "))"
    }
}

extension SDPParseError.Reason: Error {}
