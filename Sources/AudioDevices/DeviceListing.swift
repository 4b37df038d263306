/// One device as `yodel devices` shows it: what it is called, whether it opens, and if not why and what to do.
public struct DeviceListing: Sendable, Equatable {
    /// Whether one direction of a device can be used.
    public struct Direction: Sendable, Equatable {
        /// It opened just now.
        public var opens: Bool
        /// Why it did not open; `nil` when it did.
        public var reason: String?
        /// What to do about it, one plain sentence; `nil` when it opened.
        public var remedy: String?

        public init(opens: Bool, reason: String? = nil, remedy: String? = nil) {
            self.opens = opens
            self.reason = reason
            self.remedy = remedy
        }
    }

    /// The name to give to `--device`.
    public var name: String
    /// What the device calls itself.
    public var description: String
    /// Microphone side; `nil` when the device has none.
    public var capture: Direction?
    /// Loudspeaker side; `nil` when the device has none.
    public var playback: Direction?

    public init(name: String, description: String, capture: Direction?, playback: Direction?) {
        self.name = name
        self.description = description
        self.capture = capture
        self.playback = playback
    }

    /// Whether every direction that it has can be used.
    public var opens: Bool { (capture?.opens ?? true) && (playback?.opens ?? true) }
    /// Why the first direction that fails does not open; `nil` when all open.
    public var reason: String? { [capture, playback].compactMap { $0?.reason }.first }
    /// What to do about `reason`.
    public var remedy: String? { [capture, playback].compactMap { $0?.remedy }.first }
}

/// Everything that can be named as a device on this machine, kind after kind. Takes a moment: what can be opened is tried.
public func listDevices() -> [DeviceListing] { DeviceKind.allCases.flatMap { $0.list() } }
