import SDP
import Testing

/// A session description from its lines, with the usual beginning.
func description(
    _ media: String..., version: Int = 1, address: String = "192.0.2.10"
) throws -> SessionDescription {
    let type = address.contains(":") ? "IP6" : "IP4"
    let head = ["v=0", "o=- 1 \(version) IN \(type) \(address)", "s=-", "c=IN \(type) \(address)", "t=0 0"]
    return try SessionDescription(parsing: (head + media).joined(separator: "\r\n") + "\r\n")
}

/// Opus, G.711 and G.722, on 192.0.2.1:40000.
func negotiation(
    codecs: [AudioCodec] = [.opus(parameters: fec, bitRate: 28_000), .pcmu, .pcma], address: String = "192.0.2.1",
    port: UInt16 = 40_000, controlPort: UInt16? = nil, configure: (inout Negotiation) -> Void = { _ in }
) -> Negotiation {
    var made = Negotiation(
        capabilities: AudioCapabilities(codecs: codecs),
        local: LocalMedia(address: address, port: port, controlPort: controlPort), sessionID: 4_000)
    configure(&made)
    return made
}

var fec: OpusParameters {
    var parameters = OpusParameters()
    parameters.inbandFEC = true
    return parameters
}

extension SessionDescription {
    /// The lines without their ends.
    var lines: [String] { text.split(separator: "\r\n").map(String.init) }

    /// The lines of the media line at `index`.
    func lines(ofMedia index: Int) -> [String] {
        var count = -1
        return lines.filter {
            if $0.hasPrefix("m=") { count += 1 }
            return count == index
        }
    }
}
