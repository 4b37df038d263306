public import AudioUnits

/// What a person means by a device name (`DeviceKind`): `alsa:NAME`, `pulse:[NAME]`, `file:PATH[,to=PATH][,loop]`,
/// `pipe:-`, `room:MODEL[,option…]`, `null`, `default`, or a bare ALSA PCM name such as `hw:0`.
public enum DeviceSpecification: Sendable, Equatable {
    /// What ALSA is set up to use. Where that is the sound server's default device, it is opened by the server's own interface: the same
    /// sound at the same delay, for fewer wake-ups (`ALSADefault`).
    case systemDefault
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
    /// Of another kind.
    case other(AnyNamedDevice)

    /// Reads a device name.
    ///
    /// - Throws: `DeviceError.malformedName`, with the part that does not parse and what would.
    public init(parsing name: String) throws(DeviceError) {
        func fail(_ reason: String) -> DeviceError { .malformedName(name: name, reason: reason) }
        if name.isEmpty { throw fail("the name is empty; `yodel devices` lists what there is") }
        if name.utf8.contains(0) { throw fail("the name contains a zero byte") }
        if name == "default" {
            self = .systemDefault
        } else if let kind = DeviceKind.allCases.first(where: { name == $0.prefix || name.hasPrefix($0.prefix + ":") }) {
            self = try kind.parse(String(name.dropFirst(kind.prefix.count + 1)), fail)
        } else {
            self = .alsa(name: name)
        }
    }

    /// Whether it is a microphone or a loudspeaker of a person, rather than a file or a program.
    public var isHardware: Bool {
        switch self {
        case .alsa, .systemDefault: true
        case .other(let other): other.device.serverDevice != nil
        case .file, .pipe, .room, .null: false
        }
    }

    /// The name that parses back to this specification.
    public var name: String {
        switch self {
        case .systemDefault: "default"
        case .alsa(let name): "alsa:" + name
        case .file(let capture, let playback, let loop):
            "file:" + (capture ?? "") + (playback.map { ",to=" + $0 } ?? "") + (loop ? ",loop" : "")
        case .pipe: "pipe:-"
        case .room(let room): "room:" + room.description
        case .null: "null"
        case .other(let other): other.device.name
        }
    }
}
