import Reporting
import SecureRTP

/// The JSON dialect that media-stream services share: `connected start media mark clear dtmf stop`, sound in base 64.
struct MediaStreamSpeaker: ProgramSpeaker {
    private let topic: ProgramTopic
    /// Of messages, and of each side's packets.
    private var sequence = 0
    private var chunks = 0
    private static let limits = JSONLimits(bytes: ProgramDialect.longestMessage, depth: 6)
    private static let packetMilliseconds = 20

    init(_ topic: ProgramTopic) { self.topic = topic }

    private mutating func text(_ event: String, _ members: [JSONMember]) -> ProgramMessage {
        sequence += 1
        return .text(
            ([
                JSONMember("event", .string(event)), JSONMember("sequenceNumber", .string("\(sequence)")),
                JSONMember("streamSid", .string(topic.stream)),
            ] + members).object.text)
    }

    mutating func begin() -> [ProgramMessage] {
        let connected = [
            JSONMember("event", .string("connected")), JSONMember("protocol", .string("Call")),
            JSONMember("version", .string("1.0.0")),
        ].object.text
        let tracks: [ProgramTrack] = topic.track == .both ? [.inbound, .outbound] : [topic.track]
        let start = text(
            "start",
            [
                JSONMember(
                    "start",
                    [
                        JSONMember("streamSid", .string(topic.stream)), JSONMember("callSid", .string(topic.call)),
                        JSONMember("tracks", .array(tracks.map { .string($0.rawValue) })),
                        JSONMember(
                            "mediaFormat",
                            [
                                JSONMember("encoding", .string(topic.format.encoding.mediaType)),
                                JSONMember("sampleRate", .integer(topic.format.sampleRate)),
                                JSONMember("channels", .integer(1)),
                            ].object),
                    ].object)
            ])
        return [.text(connected), start]
    }

    mutating func sound(inbound: [Float]?, outbound: [Float]?) -> [ProgramMessage] {
        chunks += 1
        var messages: [ProgramMessage] = []
        if let inbound { messages.append(media(inbound, .inbound)) }
        if let outbound { messages.append(media(outbound, topic.track == .mixed ? .mixed : .outbound)) }
        return messages
    }

    private mutating func media(_ samples: [Float], _ track: ProgramTrack) -> ProgramMessage {
        text(
            "media",
            [
                JSONMember(
                    "media",
                    [
                        JSONMember("track", .string(track.rawValue)), JSONMember("chunk", .string("\(chunks)")),
                        JSONMember("timestamp", .string("\((chunks - 1) * Self.packetMilliseconds)")),
                        JSONMember("payload", .string(Base64.encode(topic.format.bytes(samples)))),
                    ].object)
            ])
    }

    mutating func mark(_ mark: HeardMark) -> ProgramMessage {
        text("mark", [JSONMember("mark", ([JSONMember("name", .string(mark.name))] + ProgramText.members(of: mark)).object)])
    }

    mutating func digit(_ digit: Character) -> ProgramMessage {
        text(
            "dtmf",
            [
                JSONMember(
                    "dtmf",
                    [JSONMember("track", .string("inbound_track")), JSONMember("digit", .string(String(digit)))].object)
            ])
    }

    mutating func end() -> ProgramMessage {
        text("stop", [JSONMember("stop", [JSONMember("callSid", .string(topic.call))].object)])
    }

    func understand(_ message: ProgramMessage) -> ProgramWish? {
        guard case .text(let text) = message,
            let value = try? JSONDocument(reading: Array(text.utf8), limits: Self.limits).value,
            case .string(let event) = value.value(at: "event")
        else { return nil }
        switch event {
        case "media":
            guard case .string(let payload) = value.value(at: "media.payload"), let bytes = Base64.bytes(of: payload) else {
                return nil
            }
            return .say(topic.format.samples(bytes))
        case "clear": return .clear
        case "mark": return ProgramText.name(value.value(at: "mark.name")).map { .mark($0) }
        case "dtmf": return ProgramText.digits(value.value(at: "dtmf.digit")).map { .digits($0) }
        case "stop": return .stop
        default: return nil
        }
    }
}
