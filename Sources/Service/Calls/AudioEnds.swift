import AudioFiles
import Glibc
import Softphone

/// What a request may choose as an audio end.
package struct AudioEnds: Sendable {
    /// Devices of the configuration: no other may be opened by request.
    package var devices: [String]
    /// Where files may be played from; `nil`: nowhere.
    package var folder: String?
    /// What the URL of a program must begin with, one of them.
    package var programs: [String]
    /// What becomes of a call without its program.
    package var policy: ProgramPolicy

    package init(devices: [String], folder: String?, programs: [String] = [], policy: ProgramPolicy = ProgramPolicy()) {
        (self.devices, self.folder, self.programs, self.policy) = (devices, folder, programs, policy)
    }

    /// Each of these alone is an audio end.
    private static let kinds = [
        "device", "echo", "silence", "play", "record", "handset", "call", "conference", "websocket", "stream",
    ]
    package static let fields = kinds + ["rate", "encoding", "loop"]

    /// What `"audio": {...}` chooses.
    package func choose(_ fields: BodyFields) throws(Problem) -> AudioEnd {
        var chosen: [AudioEnd] = []
        let (rate, loops) = (try fields.number("rate"), try fields.flag("loop"))
        let encoding = try fields.text("encoding")
        for kind in Self.kinds {
            switch kind {
            case "echo", "silence", "record":
                guard try fields.flag(kind) == true else { continue }
                chosen.append(kind == "echo" ? .echo : kind == "silence" ? .silence : .record(path: ""))
            case "stream":
                guard try fields.flag(kind) == true else { continue }
                let end = try ProgramEnd(rate: rate, encoding: encoding, policy: policy, prefix: "audio.")
                chosen.append(.program(ProgramLine(end)))
            case "websocket":
                guard let url = try fields.text(kind) else { continue }
                let end = try ProgramEnd(url, rate: rate, encoding: encoding, allowed: programs, policy: policy)
                chosen.append(.program(ProgramLine(end)))
            default:
                guard let text = try fields.text(kind) else { continue }
                chosen.append(try end(kind, text, loops: loops ?? false))
            }
        }
        guard chosen.count == 1, let end = chosen.first else { throw Self.notOne }
        guard end.line != nil || rate == nil && encoding == nil else {
            throw .badField(
                rate == nil ? "audio.encoding" : "audio.rate",
                "only a program, {\"websocket\": URL} or {\"stream\": true}, has a rate and an encoding")
        }
        if loops != nil {
            guard case .play = end else { throw .badField("audio.loop", "only a file, {\"play\": FILE}, can be played again") }
        }
        return end
    }

    private func end(_ kind: String, _ text: String, loops: Bool) throws(Problem) -> AudioEnd {
        switch kind {
        case "handset": .handset(text)
        case "call": .call(text)
        case "conference": .conference(text)
        case "play": try play(text, loops: loops)
        default: try device(text)
        }
    }

    /// Exactly one of them is chosen.
    package func choose(device: String?, file: String?, handset: String? = nil, echoes: Bool) throws(Problem) -> AudioEnd {
        guard [device != nil, file != nil, handset != nil, echoes].count(where: { $0 }) == 1 else {
            throw Self.notOne
        }
        if echoes { return .echo }
        if let handset { return .handset(handset) }
        if let file { return try play(file) }
        return try self.device(device ?? "")
    }

    private func device(_ name: String) throws(Problem) -> AudioEnd {
        let known = ["null"] + devices.filter { $0 != "null" && $0 != "echo" }
        guard known.contains(name) else {
            throw .badField(
                "audio.device", "'\(name)' is no device of the configuration; use \(known.joined(separator: ", "))")
        }
        return .device(name)
    }

    private static var notOne: Problem {
        .badField(
            "audio",
            "choose one audio end: {\"device\": NAME}, {\"echo\": true}, {\"silence\": true}, {\"play\": FILE}, {\"record\": true}, "
                + "{\"handset\": ID}, {\"call\": ID}, {\"conference\": ID}, {\"websocket\": URL} or {\"stream\": true}")
    }

    /// A file inside the folder, links followed.
    package func play(_ name: String, loops: Bool = false) throws(Problem) -> AudioEnd {
        guard let folder else {
            throw .badField("audio.play", "no folder is configured for files that calls may play; set softphone.folder")
        }
        guard let root = Self.real(folder), let path = Self.real(folder + "/" + name), path.hasPrefix(root + "/") else {
            throw .badField("audio.play", "there is no file '\(name)' in softphone.folder")
        }
        do {
            _ = try AudioFileReader(path: path)
        } catch {
            throw .badField("audio.play", "'\(name)' is no audio file that can be read")
        }
        return .play(name: name, path: path, loops: loops)
    }

    private static func real(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
