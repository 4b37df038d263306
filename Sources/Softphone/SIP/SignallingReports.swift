import Codecs
import Media
import Reporting
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

extension NegotiationReport {
    init(_ media: NegotiatedMedia) {
        let receipt = media.receipt
        self.init(offeredByUs: receipt.offeredBy == .us)
        codec = media.agreement?.codec.name
        remote = media.agreement?.remote.map { "\($0)" }
        packetMilliseconds = media.agreement.map { Double($0.packetMilliseconds) }
        delayMilliseconds = receipt.cost?.delay
        bitRate = receipt.cost?.bitRate
        rows = receipt.rows.map {
            Row(
                line: $0.line, subject: "\($0.subject)", offered: $0.offered, answered: $0.answered, inForce: $0.inForce,
                why: "\($0.why)")
        }
    }
}

extension RegistrationReport {
    init(_ change: RegistrationChange) {
        self.init(account: change.account, state: change.state.rawValue)
        reason = change.reason
        sipCode = change.sipCode
        expiresSeconds = change.expires.map(Double.init)
        retrySeconds = change.retryAfter
        isReachable = change.isReachable
        remedy = change.remedy()
    }
}

extension EventBody {
    /// A text, or that voice messages wait; nil for whatever else signalling tells.
    init?(notice event: CallSignallingEvent) {
        switch event {
        case .message(let message):
            self = .message(from: message.from, name: message.name, to: message.to, text: message.text)
        case .messagesWaiting(let account, let summary):
            self = .messagesWaiting(account: account, isWaiting: summary.isWaiting, new: summary.new, old: summary.old)
        default: return nil
        }
    }
}
