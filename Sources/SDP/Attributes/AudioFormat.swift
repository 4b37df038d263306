/// What the samples of a payload type are: the name, clock and channels of `a=rtpmap`.
public struct AudioFormat: Hashable, Sendable, CustomStringConvertible {
    /// As written; compared without regard to case (RFC 4855 section 3).
    public var encodingName: String
    /// RTP time stamp units per second: 8000 for G.722 (RFC 3551 section 4.5.2), 48000 for Opus.
    public var clockRate: Int
    /// 2 for Opus, whatever is sent (RFC 7587 section 7).
    public var channels: Int

    public init(encodingName: String, clockRate: Int, channels: Int = 1) {
        self.encodingName = encodingName
        self.clockRate = clockRate
        self.channels = channels
    }

    public static func == (left: AudioFormat, right: AudioFormat) -> Bool {
        left.clockRate == right.clockRate && left.channels == right.channels
            && left.encodingName.asciiLowercased == right.encodingName.asciiLowercased
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(clockRate)
        hasher.combine(channels)
        hasher.combine(encodingName.asciiLowercased)
    }

    /// `opus/48000/2`, `PCMU/8000`.
    public var description: String {
        channels == 1 ? "\(encodingName)/\(clockRate)" : "\(encodingName)/\(clockRate)/\(channels)"
    }

    public static let pcmu = AudioFormat(encodingName: "PCMU", clockRate: 8000)
    public static let pcma = AudioFormat(encodingName: "PCMA", clockRate: 8000)
    public static let g722 = AudioFormat(encodingName: "G722", clockRate: 8000)
    public static let opus = AudioFormat(encodingName: "opus", clockRate: 48_000, channels: 2)

    /// Linear PCM, RFC 3551 section 4.5.11.
    public static func l16(rate: Int, channels: Int = 1) -> AudioFormat {
        AudioFormat(encodingName: "L16", clockRate: rate, channels: channels)
    }

    /// RFC 3389.
    public static func comfortNoise(rate: Int = 8000) -> AudioFormat {
        AudioFormat(encodingName: "CN", clockRate: rate)
    }

    /// RFC 4733.
    public static func telephoneEvent(rate: Int) -> AudioFormat {
        AudioFormat(encodingName: "telephone-event", clockRate: rate)
    }

    /// Copies of earlier audio, RFC 2198; clock and channels are those of the audio.
    public static func redundancy(of audio: AudioFormat) -> AudioFormat {
        AudioFormat(encodingName: "red", clockRate: audio.clockRate, channels: audio.channels)
    }

    /// The format that RFC 3551 section 6 binds to a payload type.
    public init?(staticPayloadType: UInt8) {
        switch staticPayloadType {
        case 0: self = .pcmu
        case 3: self.init(encodingName: "GSM", clockRate: 8000)
        case 4: self.init(encodingName: "G723", clockRate: 8000)
        case 5: self.init(encodingName: "DVI4", clockRate: 8000)
        case 6: self.init(encodingName: "DVI4", clockRate: 16_000)
        case 7: self.init(encodingName: "LPC", clockRate: 8000)
        case 8: self = .pcma
        case 9: self = .g722
        case 10: self = .l16(rate: 44_100, channels: 2)
        case 11: self = .l16(rate: 44_100)
        case 12: self.init(encodingName: "QCELP", clockRate: 8000)
        case 13: self = .comfortNoise()
        case 14: self.init(encodingName: "MPA", clockRate: 90_000)
        case 15: self.init(encodingName: "G728", clockRate: 8000)
        case 16: self.init(encodingName: "DVI4", clockRate: 11_025)
        case 17: self.init(encodingName: "DVI4", clockRate: 22_050)
        case 18: self.init(encodingName: "G729", clockRate: 8000)
        default: return nil
        }
    }

    /// The payload type that RFC 3551 section 6 binds to this format.
    public var staticPayloadType: UInt8? {
        (0...18 as ClosedRange<UInt8>).first { AudioFormat(staticPayloadType: $0) == self }
    }

    /// What it is for in a call.
    public enum Role: Hashable, Sendable {
        case codec, telephoneEvent, comfortNoise, redundancy
    }

    public var role: Role {
        switch encodingName.asciiLowercased {
        case "telephone-event": .telephoneEvent
        case "cn": .comfortNoise
        case "red": .redundancy
        default: .codec
        }
    }
}
