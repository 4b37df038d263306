/// Remote I/O: the shortest way to the hardware, input, output or both, with conversion to the application's format.
/// Sound passes by `CapturePath` and `PlaybackPath`.
///
/// Default formats: 48,000 Hz, Float32, mono on both elements. Output is enabled, input is not.
public final class RemoteIO: InputOutputUnit, CoreUnit {
    let core: IOCore

    /// A unit over `device`, which it opens at `initialize()` and gives back at `uninitialize()`.
    public init(device: any HardwareDevice) { core = IOCore(device: device) }

    public var component: AudioComponentDescription { .remoteIO }

    /// Output channel i takes channel `map[i]` of what is rendered, -1 is silence; output channels beyond the map are silent,
    /// `nil` is the usual rule. Counts while `usesChannelMap` (in a multi-route session); before `initialize()`.
    public func setChannelMap(_ map: [Int]?) throws(AudioUnitError) {
        if let map, !map.allSatisfy({ (-1..<64).contains($0) }) || map.count > 64 {
            throw .outOfRange(setting: "channel map", allowed: "up to 64 entries of -1 ... 63")
        }
        try core.configure("channel map") {
            $0.channelMap = map
            return nil
        }
    }

    /// Whether the channel map counts; off unless a multi-route session turns it on. At any time.
    public var usesChannelMap: Bool {
        get { core.meters.pointee.usesChannelMap.load(ordering: .relaxed) }
        set { core.meters.pointee.usesChannelMap.store(newValue, ordering: .relaxed) }
    }

    public func initialize() throws(AudioUnitError) { try core.initialize() }
}
