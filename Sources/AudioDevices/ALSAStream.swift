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

    /// Opens `name` for one direction, near the wishes of `request`.
    static func open(_ name: String, capture: Bool, _ request: DeviceRequest) throws(DeviceError) -> ALSAStream {
        var handle: OpaquePointer?
        let direction = capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        try withBorrowedPriority(request.realtimePriority) { () throws(DeviceError) in
            try ALSAErrors.check(name) { snd_pcm_open(&handle, name, direction, Int32(SND_PCM_NONBLOCK)) }
        }
        guard let pcm = handle else { throw .streamBroken(device: name, reason: "alsa-lib opened nothing") }
        let wishes = StreamWishes(request, capture: capture, mostChannels: 64)
        var setup = calsa_setup()
        setup.rate = UInt32(wishes.rate)
        setup.channels = UInt32(wishes.channels)
        setup.period = UInt(wishes.period)
        setup.buffer = UInt(wishes.buffer)
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
        DeviceStreamFormat(rate: rate, channels: channels, period: period, buffer: buffer)
    }
}
