/// The delays a unit adds, in milliseconds. What is not known or not there is nil.
public struct UnitLatency: Sendable, Equatable {
    /// Age of a captured block's first frame when the device hands it over.
    public var captureDevice: Double?
    /// Voice processing on the way up: collecting whole blocks, and the suppressor's overlap.
    public var processing: Double?
    /// Rate conversion on the capture side.
    public var captureConversion: Double?
    /// Rate conversion on the playback side.
    public var playbackConversion: Double?
    /// From the render callback's return until the first frame is heard.
    public var playbackDevice: Double?

    public init() {}

    /// Rate conversion of both directions.
    public var conversion: Double? {
        captureConversion == nil && playbackConversion == nil
            ? nil : (captureConversion ?? 0) + (playbackConversion ?? 0)
    }
}
