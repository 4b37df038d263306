import AudioDevices
import AudioFiles
import Glibc
import Reporting
import Softphone

/// Who talks and listens at our side of a call.
package enum AudioEnd: Sendable, Equatable {
    /// A device by its name.
    case device(String)
    /// What is heard is sent back.
    case echo
    /// A file is played, then silence; what is heard goes nowhere.
    case play(name: String, path: String)
    /// A person at a browser, whose own call has this id.
    case handset(String)
    /// A program at a WebSocket.
    case program(ProgramEnd)

    /// As a key of the configuration names it.
    /// - Throws: a device's name that means nothing.
    package init(configured name: String) throws(SoftphoneError) {
        if name == "echo" {
            self = .echo
        } else {
            _ = try DeviceChoice.device(name)
            self = .device(name)
        }
    }

    package var json: JSONValue {
        switch self {
        case .device(let name): .object([JSONMember("device", .string(name))])
        case .echo: .object([JSONMember("echo", .boolean(true))])
        case .play(let name, _): .object([JSONMember("play", .string(name))])
        case .handset(let id): .object([JSONMember("handset", .string(id))])
        case .program(let program):
            .object([JSONMember("websocket", .string(program.url)), JSONMember("rate", .integer(program.sampleRate))])
        }
    }
}

/// What a request may choose as an audio end.
package struct AudioEnds: Sendable {
    /// Devices of the configuration: no other may be opened by request.
    package var devices: [String]
    /// Where files may be played from; `nil`: nowhere.
    package var folder: String?
    /// What the URL of a program must begin with, one of them.
    package var programs: [String]

    package init(devices: [String], folder: String?, programs: [String] = []) {
        (self.devices, self.folder, self.programs) = (devices, folder, programs)
    }

    package static let fields = ["device", "echo", "play", "handset", "websocket", "rate"]

    /// What `"audio": {...}` chooses.
    package func choose(_ fields: BodyFields) throws(Problem) -> AudioEnd {
        let rate = try fields.number("rate")
        if let url = try fields.text("websocket") {
            guard try fields.text("device") == nil, try fields.text("play") == nil, try fields.text("handset") == nil,
                try fields.flag("echo") != true
            else { throw Self.notOne }
            return .program(try ProgramEnd(url, rate: rate, allowed: programs))
        }
        guard rate == nil else { throw .badField("audio.rate", "only a program, {\"websocket\": URL}, has a rate") }
        return try choose(
            device: try fields.text("device"), file: try fields.text("play"), handset: try fields.text("handset"),
            echoes: try fields.flag("echo") ?? false)
    }

    /// Exactly one of them is chosen.
    package func choose(device: String?, file: String?, handset: String? = nil, echoes: Bool) throws(Problem) -> AudioEnd {
        guard [device != nil, file != nil, handset != nil, echoes].count(where: { $0 }) == 1 else {
            throw Self.notOne
        }
        if echoes { return .echo }
        if let handset { return .handset(handset) }
        if let file { return try play(file) }
        let name = device ?? ""
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
            "choose one audio end: {\"device\": NAME}, {\"echo\": true}, {\"play\": FILE}, {\"handset\": ID} or {\"websocket\": URL}"
        )
    }

    /// A file inside the folder, links followed.
    private func play(_ name: String) throws(Problem) -> AudioEnd {
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
        return .play(name: name, path: path)
    }

    private static func real(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
