import AudioUnits

/// What a stream of hardware, or of a sound server, is opened with: the request within bounds, and where it says nothing the usual.
struct StreamWishes: Equatable {
    /// Frames a second.
    let rate: Int
    let channels: Int
    /// Frames of a period, and of the whole buffer.
    let period: Int
    let buffer: Int

    /// Buffer asked for, in milliseconds and periods: room for stalls. It adds no delay, since playback holds its
    /// own fill level and capture is emptied at once.
    static let bufferMilliseconds = 120.0
    static let bufferPeriods = 6
    /// Period when nobody asks for one, in milliseconds: the shortest that ran without xruns at real-time priority
    /// over a sound server that renders 5 ms blocks.
    static let defaultPeriodMilliseconds = 5.0
    static let defaultRate = 48000.0

    /// What one direction of a request comes to.
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - capture: which direction.
    ///   - mostChannels: that the sound system knows.
    init(_ request: DeviceRequest, capture: Bool, mostChannels: Int) {
        let rate = min(max(request.sampleRate ?? Self.defaultRate, 4000), 384_000)
        let milliseconds = min(max(request.periodMilliseconds ?? Self.defaultPeriodMilliseconds, 1), 500)
        self.rate = Int(rate)
        channels = capture ? 1 : min(max(request.playbackChannels ?? 1, 1), mostChannels)
        period = Int(rate * milliseconds / 1000)
        buffer = max(Int(rate * Self.bufferMilliseconds / 1000), Self.bufferPeriods * period)
    }
}

extension DeviceStreamFormat {
    /// What the callbacks see of a stream of this shape.
    init(rate: Int, channels: Int, period: Int, buffer: Int) {
        self.init(
            sampleRate: Double(rate), channels: channels, periodFrames: period,
            maximumFrames: max(period, min(buffer / 2, rate / 25)))
    }
}

extension StreamWishes {
    /// What the callbacks see where all wishes come true.
    var format: DeviceStreamFormat { DeviceStreamFormat(rate: rate, channels: channels, period: period, buffer: buffer) }
}
