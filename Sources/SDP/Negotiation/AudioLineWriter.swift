import Link

/// Writes this side's audio line, of an offer or an answer.
struct AudioLineWriter {
    private(set) var line: MediaDescription
    private var parameters: [Attribute] = []

    init(transport: String, port: UInt16) {
        line = MediaDescription(media: "audio", port: port, transport: transport, formats: [])
    }

    mutating func add(_ number: UInt8, _ format: AudioFormat, parameters text: String = "") {
        guard !line.formats.contains("\(number)") else { return }
        line.formats.append("\(number)")
        line.attributes.append(.rtpmap(RTPMap(payloadType: number, format: format)))
        if !text.isEmpty {
            line.attributes.append(.formatParameters(FormatParameters(format: "\(number)", text: text)))
        }
    }

    /// Adds what stands after the formats, and gives the line.
    func finish(
        local: LocalMedia, capabilities: AudioCapabilities, packetTime: Double, direction: MediaDirection,
        mux: Bool, mediaID: String?, security: [Attribute], ice: [Attribute], levels: [Attribute]
    ) -> MediaDescription {
        var line = line
        line.bandwidths = capabilities.bandwidths
        if let mediaID { line.attributes.append(.mediaID(mediaID)) }
        line.attributes.append(.packetTime(packetTime))
        if let maximum = capabilities.maximumPacketTime { line.attributes.append(.maximumPacketTime(maximum)) }
        line.attributes += levels
        line.attributes.append(.direction(direction))
        if mux { line.attributes.append(.rtcpMux) }
        line.attributes += security + ice
        if local.port == .max || local.controlPort != local.port + 1 {
            line.attributes.append(.rtcp(RTCPAttribute(port: local.controlPort)))
        }
        if let ssrc = local.ssrc, let cname = local.cname {
            line.attributes.append(.source(SourceAttribute(ssrc: ssrc, attribute: "cname", value: cname)))
        }
        return line
    }
}

extension MediaDescription {
    /// The same line with port 0: refused or not in use. Its place, formats and id stay (RFC 3264 section 6).
    var refused: MediaDescription {
        var line = MediaDescription(media: media, port: 0, transport: transport, formats: formats)
        line.attributes = attributes.filter {
            if case .mediaID = $0 { true } else { false }
        }
        return line
    }
}
