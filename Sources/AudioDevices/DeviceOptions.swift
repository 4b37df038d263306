public import AudioUnits

/// Settings of devices that no name carries.
public struct DeviceOptions: Sendable {
    /// Who moves a virtual device: its own clock thread, or the caller by `VirtualDevice.advance`.
    public enum Clock: Sendable, Equatable {
        /// A thread paced by the monotonic clock at the requested priority.
        case realtime
        /// Virtual time: nothing happens between calls of `advance`.
        case manual
    }

    /// Clock of virtual devices; hardware has its own.
    public var clock = Clock.realtime
    /// Seed of everything random in a simulated room.
    public var seed: UInt64 = 1

    /// Who speaks in a simulated room that names no file: samples at the device's rate, looped.
    public var nearEnd: [Float]

    /// Whether a device that waits for who writes its file, a named pipe, is to wait any longer; asked ten times a second.
    public var isWanted: @Sendable () -> Bool = { true }

    public init(clock: Clock = .realtime, seed: UInt64 = 1, nearEnd: [Float] = []) {
        self.clock = clock
        self.seed = seed
        self.nearEnd = nearEnd
    }
}

/// Makes the device a person named; `capture` and `playback` are equal when one name stands for both.
///
/// Two ALSA names are one `ALSADevice`, and two of the sound server's one `PulseDevice`. Two virtual ones are one `VirtualDevice` if
/// neither is a room, which cannot be split. Two of other kinds that differ are a `SplitDevice`.
///
/// - Throws: `DeviceError.malformedName` for a combination that makes no sense.
public func makeDevice(
    _ capture: DeviceSpecification, _ playback: DeviceSpecification, options: DeviceOptions = DeviceOptions()
) throws(DeviceError) -> any HardwareDevice {
    let (capture, playback) = (ALSADefault.resolve(capture, beside: playback), ALSADefault.resolve(playback, beside: capture))
    switch (capture, playback) {
    case (.alsa(let input), .alsa(let output)):
        return ALSADevice(capture: input, playback: output)
    case (.alsa, _), (_, .alsa):
        return try split(capture, playback, options)
    case (.other(let other), _) where capture == playback: return try other.device.makeDevice(options)
    case (.other(let input), .other(let output)):
        if let both = try input.device.makeDevice(playingTo: output.device, options) { return both }
        return try split(capture, playback, options)
    case (.other, _), (_, .other): return try split(capture, playback, options)
    case (.room, _) where capture != playback, (_, .room) where capture != playback:
        throw .malformedName(
            name: playback.name, reason: "a room is loudspeaker and microphone in one: name it for both directions")
    default:
        return VirtualDevice(capture: capture, playback: playback, options: options)
    }
}

private func split(
    _ capture: DeviceSpecification, _ playback: DeviceSpecification, _ options: DeviceOptions
) throws(DeviceError) -> any HardwareDevice {
    SplitDevice(
        capture: try makeDevice(capture, capture, options: options),
        playback: try makeDevice(playback, playback, options: options))
}
