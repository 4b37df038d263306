extension Attribute {
    /// The line after `a=`.
    func text(maskingSecrets masks: Bool) -> String {
        switch self {
        case .rtpmap(let map): "rtpmap:\(map.text)"
        case .formatParameters(let parameters): "fmtp:\(parameters.format) \(parameters.text)"
        case .packetTime(let milliseconds): "ptime:\(milliseconds.plainText)"
        case .maximumPacketTime(let milliseconds): "maxptime:\(milliseconds.plainText)"
        case .direction(let direction): direction.rawValue
        case .rtcp(let rtcp): "rtcp:\(rtcp.text)"
        case .rtcpMux: "rtcp-mux"
        case .source(let source): "ssrc:\(source.text)"
        case .group(let group): "group:\(group.text)"
        case .mediaID(let id): "mid:\(id)"
        case .iceUsername(let text): "ice-ufrag:\(text)"
        case .icePassword(let secret): "ice-pwd:\(masks ? secret.description : secret.value)"
        case .iceOptions(let options): "ice-options:\(options.joined(separator: " "))"
        case .iceLite: "ice-lite"
        case .candidate(let candidate): "candidate:\(candidate.text)"
        case .endOfCandidates: "end-of-candidates"
        case .fingerprint(let fingerprint): "fingerprint:\(fingerprint.text)"
        case .setup(let role): "setup:\(role.rawValue)"
        case .crypto(let crypto): "crypto:\(crypto.text(maskingSecrets: masks))"
        case .other(let name, let value): Self.other(name, value, masks)
        }
    }

    private static func other(_ name: String, _ value: String?, _ masks: Bool) -> String {
        guard let value else { return name }
        // What could not be read may hold a key all the same.
        return masks && (name == "crypto" || name == "ice-pwd" || name == "key-mgmt")
            ? "\(name):***" : "\(name):\(value)"
    }
}

extension Attribute: CustomStringConvertible {
    /// Without secrets.
    public var description: String { text(maskingSecrets: true) }
}
