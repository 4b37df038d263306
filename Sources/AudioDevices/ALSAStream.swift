import AudioUnits
import CALSA

/// An open, configured and prepared PCM: the handle with what was granted.
///
/// Sendable: a constant; its PCM is handed on as a whole, so that one thread has it at a time.
struct ALSAStream: @unchecked Sendable, BitwiseCopyable {
    let pcm: OpaquePointer
    let sampleType: ALSASampleType
    let rate: Int
    let channels: Int
    /// Frames of one period as granted.
    let period: Int
    /// Frames of the ring buffer as granted; the fill level is held below it.
    let buffer: Int

    /// Buffer asked for, in milliseconds and periods: room for stalls. It adds no delay, since playback holds its
    /// own fill level and capture is emptied at once.
    static let bufferMilliseconds = 120.0
    static let bufferPeriods = 6
    /// Period when nobody asks for one, in milliseconds: the shortest that ran without xruns at real-time priority
    /// over a sound server that renders 5 ms blocks.
    static let defaultPeriodMilliseconds = 5.0
    static let defaultRate = 48000.0

    /// Opens `name` for one direction, near the wishes of `request`.
    static func open(_ name: String, capture: Bool, _ request: DeviceRequest) throws(DeviceError) -> ALSAStream {
        var handle: OpaquePointer?
        let direction = capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        try withBorrowedPriority(request.realtimePriority) { () throws(DeviceError) in
            try ALSAErrors.check(name) { snd_pcm_open(&handle, name, direction, Int32(SND_PCM_NONBLOCK)) }
        }
        guard let pcm = handle else { throw .streamBroken(device: name, reason: "alsa-lib opened nothing") }
        let rate = min(max(request.sampleRate ?? defaultRate, 4000), 384_000)
        let period = min(max(request.periodMilliseconds ?? defaultPeriodMilliseconds, 1), 500)
        let periodFrames = Int(rate * period / 1000)
        let bufferFrames = max(Int(rate * bufferMilliseconds / 1000), bufferPeriods * periodFrames)
        var setup = calsa_setup()
        setup.rate = UInt32(rate)
        setup.channels = capture ? 1 : UInt32(min(max(request.playbackChannels ?? 1, 1), 64))
        setup.period = UInt(periodFrames)
        setup.buffer = UInt(bufferFrames)
        do {
            try ALSAErrors.check(name) { calsa_configure(pcm, &setup) }
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
        return ALSAStream(
            pcm: pcm, sampleType: ALSASampleType(setup.format), rate: Int(setup.rate), channels: Int(setup.channels),
            period: Int(setup.period), buffer: Int(setup.buffer))
    }

    func close() { snd_pcm_close(pcm) }

    var periodMilliseconds: Double { Double(period) * 1000 / Double(rate) }

    /// What the callbacks see.
    var format: DeviceStreamFormat {
        DeviceStreamFormat(
            sampleRate: Double(rate), channels: channels, periodFrames: period,
            maximumFrames: max(period, min(buffer / 2, rate / 25)))
    }
}
