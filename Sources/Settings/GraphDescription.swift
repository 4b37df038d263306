/// A graph of units as it stands in a file: checked for names and shape, with the line of everything; not built yet.
public struct GraphDescription: Sendable {
    /// A value and where it stands.
    public struct Value: Sendable, Equatable {
        public var text: String
        /// From 1.
        public var line: Int

        public init(text: String, line: Int) {
            self.text = text
            self.line = line
        }
    }

    /// What feeds an input, and the settings of that input.
    public struct Input: Sendable {
        public var unit: Value
        public var settings: [String: Value] = [:]
    }

    /// One unit.
    public struct Unit: Sendable {
        public var name: String
        /// Of its name.
        public var line: Int
        public var kind: GraphUnitKind
        public var inputs: [Input] = []
        public var settings: [String: Value] = [:]
        /// Files of a player.
        public var files: [Value] = []
    }

    /// A setting that changes at a time.
    public struct Step: Sendable {
        /// Seconds from the beginning.
        public var seconds: Double
        public var unit: String
        /// Of a mixer; nil is the unit itself.
        public var input: Int?
        public var setting: String
        public var value: Value
        /// Where the step begins.
        public var line: Int
    }

    /// The file.
    public let path: String
    /// Of the output, in Hz.
    public internal(set) var rate = 48_000
    /// Of the output.
    public internal(set) var channels = 2
    /// Frames that are rendered at once.
    public internal(set) var block = 480
    /// Length in seconds; nil: until all players have ended.
    public var duration: Double?
    /// Seconds that are rendered after the last player has ended.
    public internal(set) var tail = 0.0
    /// Where the sound goes; nil: to the device.
    public var target: String?
    public internal(set) var units: [Unit] = []
    /// Name of the unit that is heard.
    public internal(set) var output = Value(text: "", line: 1)
    public internal(set) var automation: [Step] = []

    /// Reads and checks the file at `path`.
    public init(path: String) throws(SettingsError) {
        try self.init(path: path, bytes: YAMLFile.bytes(path: path))
    }

    /// Checks `text` as if it stood at `path`.
    public init(path: String, text: String) throws(SettingsError) {
        try self.init(path: path, bytes: Array(text.utf8))
    }

    private init(path: String, bytes: [UInt8]) throws(SettingsError) {
        self.path = path
        let root = try YAMLNode(bytes, path: path)
        try GraphReader(path: path).read(root, into: &self)
    }

    /// The unit of that name.
    public func unit(named name: String) -> Unit? { units.first { $0.name == name } }
}

/// The kinds of units a graph may have, and what can be set of each.
public enum GraphUnitKind: String, Sendable, CaseIterable {
    case player, tone, mixer, mixer3d, equalizer, varispeed, timepitch

    /// How many inputs it takes.
    public var inputs: ClosedRange<Int> {
        switch self {
        case .player, .tone: 0...0
        case .mixer, .mixer3d: 1...256
        case .equalizer, .varispeed, .timepitch: 1...1
        }
    }

    /// What may be set only before it renders.
    public var fixedSettings: [String] {
        switch self {
        case .player: ["file", "files", "loop", "start"]
        case .mixer: ["channels"]
        case .mixer3d: ["rendering"]
        default: []
        }
    }

    /// What may be set, and changed while it renders.
    public var settings: [String] {
        switch self {
        case .player: ["play", "position"]
        case .tone: ["frequency", "level"]
        case .mixer, .mixer3d: ["volume"]
        case .equalizer: ["preset", "gain"]
        case .varispeed: ["rate"]
        case .timepitch: ["rate", "pitch"]
        }
    }

    /// What may be set of each input, and changed while it renders.
    public var inputSettings: [String] {
        switch self {
        case .mixer: ["volume", "pan", "enabled"]
        case .mixer3d: ["volume", "enabled", "azimuth", "elevation", "distance"]
        default: []
        }
    }
}
