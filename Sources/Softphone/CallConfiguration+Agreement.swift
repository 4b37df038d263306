import Codecs
import Media
import SDP
import Signalling

extension CallConfiguration {
    /// What was agreed on with the other side.
    mutating func take(_ agreement: MediaAgreement) {
        stream.payloadType = agreement.payloadType
        if agreement.codec.clock == .sampleRate, agreement.sampleRate != agreement.codec.sampleRate {
            stream.sampleRate = agreement.sampleRate
        }
        if let events = agreement.telephoneEvents { stream.telephoneEventPayloadType = events.payloadType }
        if let noise = agreement.comfortNoise {
            stream.comfortNoisePayloadType = noise
        } else if !agreement.codec.hasDTX {
            // Nobody said that it understands the noise.
            stream.encoder.dtx = false
        }
        // What the other side may change to without another word.
        stream.alsoReceives = agreement.receivedCodecs.sorted { $0.key < $1.key }.compactMap { number, codec in
            guard number != stream.payloadType || codec != stream.codec else { return nil }
            var format = MediaFormat(codec, payloadType: number)
            format.telephoneEventPayloadType = stream.telephoneEventPayloadType
            format.comfortNoisePayloadType = stream.comfortNoisePayloadType
            return format
        }
        stream.levels = agreement.levels
        stream.rtcpBandwidth = agreement.rtcpBandwidth.map(Double.init)
        stream.redundancyPayloadType = agreement.redundancy?.payloadType
        if let limit = agreement.maximumBitrate {
            stream.maximumBitrate = min(stream.maximumBitrate ?? limit, limit)
            stream.encoder.bitrate = max(6_000, min(stream.encoder.bitrate, limit))
        }
        // Signalling says when the call begins and when it is over.
        policy = .signalled
    }
}
