import Codecs
import Media
import RTP
import SDP
import Signalling

extension CallConfiguration {
    /// What was agreed on with the other side.
    /// - Parameter agreement: in force from now on; its codec is the configuration's already.
    package mutating func take(_ agreement: MediaAgreement) {
        stream.payloadType = agreement.payloadType
        if agreement.codec.clock == .sampleRate, agreement.sampleRate != agreement.codec.sampleRate {
            stream.sampleRate = agreement.sampleRate
        }
        if let events = agreement.telephoneEvents {
            stream.telephoneEventPayloadType = events.payloadType
            stream.telephoneEventClockRate = events.clockRate == stream.format.clockRate ? nil : events.clockRate
        }
        if let noise = agreement.comfortNoise {
            stream.comfortNoisePayloadType = noise
        } else if !agreement.codec.hasDTX {
            // Nobody said that it understands the noise.
            stream.encoder.dtx = false
        }
        // What the other side sends, and what it may change to without another word.
        var received = agreement.receivedFormats(sent: stream.format)
        let first = received.removeFirst()
        stream.receivedFormat = first == stream.format ? nil : first
        stream.alsoReceives = received
        stream.levels = agreement.levels
        stream.rtcpBandwidth = agreement.rtcpBandwidth.map(Double.init)
        stream.redundancyPayloadType = agreement.redundancy?.payloadType
        stream.alsoReceivesRedundancy = agreement.receivedRedundancy.filter { $0 != stream.redundancyPayloadType }
        if let limit = agreement.maximumBitrate {
            stream.maximumBitrate = min(stream.maximumBitrate ?? limit, limit)
            stream.encoder.bitrate = max(6_000, min(stream.encoder.bitrate, limit))
        }
        // Signalling says when the call begins and when it is over.
        policy = .signalled
    }
}

extension MediaAgreement {
    /// Our numbers of redundant audio; empty where it was not agreed on.
    var receivedRedundancy: [UInt8] { redundancy == nil ? [] : received.numbers(of: .redundancy) }

    /// What may come, by our numbers (RFC 3264 section 5.1). Some send by their own all the same: these are taken too where
    /// none of ours says otherwise.
    /// - Parameter sent: what we send, by the other side's numbers.
    /// - Returns: at least one, and first what is sent. A codec stands there again for each number that has no other place.
    fileprivate func receivedFormats(sent: MediaFormat) -> [MediaFormat] {
        let theirs: [(number: UInt8, kind: PayloadKind, clock: Int)] = [
            (sent.payloadType, .audio, sent.clockRate),
            (sent.telephoneEventPayloadType, .telephoneEvent, sent.telephoneEventClockRate ?? sent.clockRate),
            (sent.comfortNoisePayloadType, .comfortNoise, sent.clockRate),
        ]
        var numbers = received
        for (number, kind, clock) in theirs where numbers[number] == nil {
            numbers[number] = kind
            numbers.setClockRate(clock, of: number)
        }
        let (events, noises) = (numbers.numbers(of: .telephoneEvent), numbers.numbers(of: .comfortNoise))
        var formats = numbers.numbers(of: .audio).map { number in
            var format = sent
            if let codec = receivedCodecs[number], let clock = numbers.clockRate(of: number),
                codec != sent.codec || clock != sent.clockRate
            {
                let rate = codec.clock == .sampleRate && clock != codec.sampleRate ? clock : nil
                format = MediaFormat(codec, sampleRate: rate)
            }
            format.payloadType = number
            // A format has its numbers by its clock. Without any it has its own, which is audio before all.
            func best(_ all: [UInt8], _ usual: UInt8) -> UInt8 {
                let fitting = all.filter { numbers.clockRate(of: $0) == format.clockRate }
                if fitting.contains(usual) { return usual }
                return fitting.first ?? (all.contains(usual) ? usual : number)
            }
            format.setTelephoneEvents(best(events, sent.telephoneEventPayloadType), numbers)
            format.comfortNoisePayloadType = best(noises, sent.comfortNoisePayloadType)
            return format
        }
        // What is sent comes first, by the other side's own number if that means the same here.
        func isSent(_ format: MediaFormat) -> Bool { format.codec == sent.codec && format.clockRate == sent.clockRate }
        let index =
            formats.firstIndex { isSent($0) && $0.payloadType == sent.payloadType } ?? formats.firstIndex { isSent($0) }
        let first = index.map { formats.remove(at: $0) } ?? sent
        formats.insert(first, at: 0)
        let spareEvents = events.filter { number in !formats.contains { $0.telephoneEventPayloadType == number } }
        let spareNoises = noises.filter { number in !formats.contains { $0.comfortNoisePayloadType == number } }
        for index in 0..<max(spareEvents.count, spareNoises.count) {
            var format = first
            if index < spareEvents.count { format.setTelephoneEvents(spareEvents[index], numbers) }
            if index < spareNoises.count { format.comfortNoisePayloadType = spareNoises[index] }
            formats.append(format)
        }
        return formats
    }
}

extension MediaFormat {
    /// - Parameters:
    ///   - number: of telephone events beside the audio.
    ///   - numbers: have its clock.
    fileprivate mutating func setTelephoneEvents(_ number: UInt8, _ numbers: PayloadTypeTable) {
        telephoneEventPayloadType = number
        telephoneEventClockRate = numbers.clockRate(of: number).flatMap { $0 == clockRate ? nil : $0 }
    }
}
