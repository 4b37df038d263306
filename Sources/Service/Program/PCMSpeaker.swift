import Reporting

/// Sound as binary frames, 16-bit little-endian samples; everything else as JSON text. Of both sides listened to each on its own there
/// are two channels, the other side's first.
struct PCMSpeaker: ProgramSpeaker {
    private let topic: ProgramTopic
    private static let limits = JSONLimits(bytes: 4096, depth: 4)

    init(_ topic: ProgramTopic) { self.topic = topic }

    private func text(_ type: String, _ members: [JSONMember] = []) -> ProgramMessage {
        .text(([JSONMember("type", .string(type))] + members).object.text)
    }

    func begin() -> [ProgramMessage] {
        [
            text(
                "start",
                [
                    JSONMember("rate", .integer(topic.format.sampleRate)),
                    JSONMember("channels", .integer(topic.track == .both ? 2 : 1)),
                    JSONMember("samples", .integer(topic.format.frame)), JSONMember("track", .string(topic.track.rawValue)),
                    JSONMember("call_id", .string(topic.call)),
                ])
        ]
    }

    func sound(inbound: [Float]?, outbound: [Float]?) -> [ProgramMessage] {
        guard let first = inbound, let second = outbound else {
            return [.binary(topic.format.bytes(inbound ?? outbound ?? []))]
        }
        var samples: [Float] = []
        samples.reserveCapacity(2 * first.count)
        for (left, right) in zip(first, second) { samples += [left, right] }
        return [.binary(topic.format.bytes(samples))]
    }

    func mark(_ mark: HeardMark) -> ProgramMessage {
        text("mark", [JSONMember("name", .string(mark.name))] + ProgramText.members(of: mark))
    }

    func digit(_ digit: Character) -> ProgramMessage { text("dtmf", [JSONMember("digit", .string(String(digit)))]) }

    func end() -> ProgramMessage { text("stop") }

    func understand(_ message: ProgramMessage) -> ProgramWish? {
        switch message {
        case .binary(let bytes): .say(topic.format.samples(bytes))
        case .text(let text): Self.wish(Array(text.utf8))
        }
    }

    private static func wish(_ text: [UInt8]) -> ProgramWish? {
        guard let value = try? JSONDocument(reading: text, limits: limits).value,
            case .string(let type) = value.value(at: "type")
        else { return nil }
        switch type {
        case "clear": return .clear
        case "stop": return .stop
        case "mark": return ProgramText.name(value.value(at: "name")).map { .mark($0) }
        case "dtmf": return ProgramText.digits(value.value(at: "digits") ?? value.value(at: "digit")).map { .digits($0) }
        default: return nil
        }
    }
}
