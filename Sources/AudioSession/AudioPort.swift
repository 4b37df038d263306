/// What a port is to a person.
public enum PortKind: String, Sendable, CaseIterable {
    case builtInSpeaker = "built_in_speaker"
    case headphones
    /// Both sides of a headset have this kind.
    case headset
    case builtInMicrophone = "built_in_microphone"
    case hdmi, usb, bluetooth, line
    /// Across the network, or a sound server's own invention such as a null sink.
    case virtual
    case unknown
}

/// A place where sound leaves or enters the machine.
public struct AudioPort: Sendable, Equatable {
    public enum Direction: String, Sendable { case input, output }

    /// Stays the same across restarts and plugging: the sound server's device name, and its port's if it has several.
    /// With bare ALSA the device's name.
    public var id: String
    /// For people.
    public var name: String
    public var kind: PortKind
    public var direction: Direction
    public var channels: Int
    /// Hz at which the device runs; `nil` while unknown.
    public var sampleRate: Int?

    public init(
        id: String, name: String, kind: PortKind, direction: Direction, channels: Int, sampleRate: Int? = nil
    ) {
        (self.id, self.name, self.kind, self.direction) = (id, name, kind, direction)
        (self.channels, self.sampleRate) = (channels, sampleRate)
    }
}
