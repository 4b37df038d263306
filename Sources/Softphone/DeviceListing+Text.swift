import AudioDevices
import Reporting

extension DeviceListing {
    /// For programs: what opens, and for each side that does not why and what to do.
    package var json: JSONValue {
        func direction(_ side: Direction?) -> JSONValue {
            guard let side else { return .null }
            return .object([
                JSONMember("opens", .boolean(side.opens)),
                JSONMember("reason", side.reason.map { .string($0) } ?? .null),
                JSONMember("remedy", side.remedy.map { .string($0) } ?? .null),
            ])
        }
        return .object([
            JSONMember("name", .string(name)), JSONMember("description", .string(description)),
            JSONMember("opens", .boolean(opens)), JSONMember("capture", direction(capture)),
            JSONMember("playback", direction(playback)),
        ])
    }

    /// For people: one line when it opens, one more for each side that does not.
    package var text: [String] {
        let sides = [("microphone", capture), ("loudspeaker", playback)]
        let names = sides.compactMap { name, side in side.map { ($0.opens ? "" : "no ") + name } }
        var lines = ["\(name)  (\(description)): \(names.joined(separator: ", "))"]
        for (name, side) in sides {
            guard let side, !side.opens else { continue }
            lines.append("    \(name): \(side.reason ?? "does not open"); \(side.remedy ?? "try another device")")
        }
        return lines
    }
}
