public import AudioUnits

/// What a person means by a device name: `alsa:NAME`, `file:PATH[,to=PATH][,loop]`, `pipe:-`,
/// `room:MODEL[,option…]`, `null`, `default`, or a bare ALSA PCM name such as `pulse:mic.monitor`.
public enum DeviceSpecification: Sendable, Equatable {
    /// An ALSA PCM by its ALSA name.
    case alsa(name: String)
    /// An audio file instead of a microphone; `playback` is a WAV file instead of a loudspeaker.
    case file(capture: String?, playback: String?, loop: Bool)
    /// Raw signed 16-bit little-endian mono samples on standard input and output.
    case pipe
    /// A simulated room between its loudspeaker and its microphone.
    case room(RoomSpecification)
    /// Silence in, nothing out, at the pace of a clock.
    case null

    /// Reads a device name.
    ///
    /// - Throws: `DeviceError.malformedName`, with the part that does not parse and what would.
    public init(parsing name: String) throws(DeviceError) {
        func fail(_ reason: String) -> DeviceError { .malformedName(name: name, reason: reason) }
        if name.isEmpty { throw fail("the name is empty; `yodel devices` lists what there is") }
        if name.utf8.contains(0) { throw fail("the name contains a zero byte") }
        if name == "null" || name == "null:" {
            self = .null
        } else if name == "default" {
            self = .alsa(name: name)
        } else if let pcm = Self.remainder(of: name, after: "alsa:") {
            if pcm.isEmpty { throw fail("an ALSA name must follow `alsa:`, for instance `alsa:default`") }
            self = .alsa(name: pcm)
        } else if let path = Self.remainder(of: name, after: "file:") {
            self = try Self.parseFile(path, fail)
        } else if let path = Self.remainder(of: name, after: "pipe:") {
            if path != "-" { throw fail("only `pipe:-` (standard input and output) is known") }
            self = .pipe
        } else if let room = Self.remainder(of: name, after: "room:") {
            self = .room(try RoomSpecification(parsing: room, of: name))
        } else {
            self = .alsa(name: name)
        }
    }

    /// The name that parses back to this specification.
    public var name: String {
        switch self {
        case .alsa(let name): name == "default" ? name : "alsa:" + name
        case .file(let capture, let playback, let loop):
            "file:" + (capture ?? "") + (playback.map { ",to=" + $0 } ?? "") + (loop ? ",loop" : "")
        case .pipe: "pipe:-"
        case .room(let room): "room:" + room.description
        case .null: "null"
        }
    }

    private static func remainder(of name: String, after prefix: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// `PATH`, `PATH,loop`, `PATH,to=OUT`, `,to=OUT`: options are taken off the end, so a path may hold commas.
    private static func parseFile(
        _ text: String, _ fail: (String) -> DeviceError
    ) throws(DeviceError) -> DeviceSpecification {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var playback: String?
        var loop = false
        while parts.count > 1, let last = parts.last {
            if last == "loop" {
                loop = true
            } else if let out = remainder(of: last, after: "to="), !out.isEmpty {
                playback = out
            } else {
                break
            }
            parts.removeLast()
        }
        let path = parts.joined(separator: ",")
        if path.isEmpty && playback == nil { throw fail("a path must follow `file:`") }
        return .file(capture: path.isEmpty ? nil : path, playback: playback, loop: loop)
    }
}
