/// Makes the audio line of an offer (RFC 3264 section 5).
struct OfferMaker {
    let capabilities: AudioCapabilities
    let local: LocalMedia
    /// The codec in force, which comes first in a new offer.
    let current: AudioFormat?
    var mediaID: String?
    var transport = MediaTransport.plain
    /// What the line says of encryption.
    var security: [Attribute] = []
    /// And of ICE, which wants RTP and RTCP on one port.
    var ice: [Attribute] = []
    /// And of levels in header extensions.
    var levels: [Attribute] = []

    /// nil: there is nothing to offer.
    func line(numbers: inout PayloadNumbers) -> MediaDescription? {
        var writer = AudioLineWriter(transport: transport, port: local.port)
        let reserved = capabilities.reservedPayloadTypes
        let first = capabilities.codecs.filter { $0.format == current }
        var rates: [Int] = []
        for codec in first + capabilities.codecs.filter({ $0.format != current }) {
            guard let number = numbers.number(for: codec.format, preferred: codec.payloadType, avoiding: reserved)
            else { continue }
            writer.add(number, codec.format, parameters: codec.parameters)
            if !rates.contains(codec.format.clockRate) { rates.append(codec.format.clockRate) }
            if codec.redundancy > 0,
                let copies = numbers.number(for: .redundancy(of: codec.format), avoiding: reserved)
            {
                writer.add(
                    copies, .redundancy(of: codec.format), parameters: redundancyParameters(number, codec.redundancy))
            }
        }
        guard !writer.line.formats.isEmpty else { return nil }
        if let events = capabilities.telephoneEvents {
            for rate in rates {
                let format = AudioFormat.telephoneEvent(rate: rate)
                let preferred: UInt8? = [8000: 101, 48_000: 102][rate]
                if let number = numbers.number(for: format, preferred: preferred, avoiding: reserved) {
                    writer.add(number, format, parameters: events)
                }
            }
        }
        if capabilities.comfortNoise, rates.contains(8000),
            let number = numbers.number(for: .comfortNoise(), avoiding: reserved)
        {
            writer.add(number, .comfortNoise())
        }
        return writer.finish(
            local: local, capabilities: capabilities, packetTime: capabilities.packetTime, direction: local.direction,
            mux: capabilities.rtcpMux || !ice.isEmpty, mediaID: mediaID, security: security, ice: ice, levels: levels)
    }
}

/// `111/111`: the payload type of a packet's own audio, and of each copy (RFC 2198 section 5).
func redundancyParameters(_ number: UInt8, _ copies: Int) -> String {
    Array(repeating: "\(number)", count: min(max(copies, 1), 8) + 1).joined(separator: "/")
}
