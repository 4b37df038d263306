/// What a program is to the person: decides what its audio does to others (`CategoryEffect`).
public enum SessionCategory: String, Sendable, CaseIterable {
    /// Sound that may be missing, among others' sound.
    case ambient
    /// Sound that may be missing, alone; the default.
    case soloAmbient = "solo_ambient"
    /// Sound that is what the program is for.
    case playback
    /// A microphone and nothing to hear.
    case record
    /// A call.
    case playAndRecord = "play_and_record"
    /// Different sound on several outputs at once; channel maps are in force.
    case multiRoute = "multi_route"

    /// Names from before there were six, and what they mean now.
    public static let olderNames: [String: SessionCategory] = [
        "user_interface_sound_effects": .ambient, "live_audio": .playback, "ambient_sound": .ambient,
        "solo_ambient_sound": .soloAmbient, "media_playback": .playback, "record_audio": .record,
    ]

    /// The category of a name of today or of before; `nil` for any other text.
    public init?(name: String) {
        guard let category = SessionCategory(rawValue: name) ?? Self.olderNames[name] else { return nil }
        self = category
    }
}

/// How a category is softened towards others.
public struct SessionOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Others go on as they are.
    public static let mixWithOthers = SessionOptions(rawValue: 1)
    /// Others go on, but quieter; implies mixing.
    public static let duckOthers = SessionOptions(rawValue: 2)
}
