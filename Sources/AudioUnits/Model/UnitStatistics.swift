/// What a unit has counted since it was instantiated.
public struct UnitStatistics: Sendable, Equatable {
    /// Frames handed to the input handler, at the application's rate.
    public var inputFrames = 0
    /// Frames asked of the render callback, at the application's rate.
    public var outputFrames = 0
    /// Render callbacks that produced fewer frames than asked for.
    public var shortFills = 0
    /// Frames zeroed because a callback fell short or there was none.
    public var zeroFilledFrames = 0
    /// Asks refused because they went past the maximum frames per slice or what was there.
    public var oversizedAsks = 0
    /// Input frames dropped because no room was left for them.
    public var droppedInputFrames = 0
    /// Times the hardware came back at another format and the converter was rebuilt.
    public var formatChanges = 0
    /// Samples taps lost because their reader was too slow.
    public var droppedTapSamples = 0
    /// The longest turn of a device thread in this unit, capture or playback, in microseconds; nil before the first.
    public var longestTurnMicroseconds: Double?
    /// The time a turn has: the shorter period of the device's two directions, in microseconds; nil before it was opened.
    public var periodMicroseconds: Double?

    public init() {}
}
