import Metrics
import Synchronization

/// What render threads count and measure, for any thread to read.
///
/// Lives as long as the unit, so that reading it needs no lock and cannot meet freed memory.
struct UnitMeters: ~Copyable {
    let inputFrames = Atomic<Int>(0)
    let outputFrames = Atomic<Int>(0)
    let shortFills = Atomic<Int>(0)
    let zeroFilledFrames = Atomic<Int>(0)
    let oversizedAsks = Atomic<Int>(0)
    let droppedInputFrames = Atomic<Int>(0)
    let formatChanges = Atomic<Int>(0)
    let droppedTapSamples = Atomic<Int>(0)
    let captureTurn = TurnMeter()
    let playbackTurn = TurnMeter()
    let captureDevice = AtomicMilliseconds()
    let processing = AtomicMilliseconds()
    let captureConversion = AtomicMilliseconds()
    let playbackConversion = AtomicMilliseconds()
    let playbackDevice = AtomicMilliseconds()
    /// What the hardware runs at; it may come back at another format.
    let captureFormat = AtomicHardwareFormat()
    let playbackFormat = AtomicHardwareFormat()
    /// The one thing that is told to the render thread here.
    let usesChannelMap = Atomic<Bool>(false)

    var statistics: UnitStatistics {
        var copy = UnitStatistics()
        copy.inputFrames = inputFrames.load(ordering: .relaxed)
        copy.outputFrames = outputFrames.load(ordering: .relaxed)
        copy.shortFills = shortFills.load(ordering: .relaxed)
        copy.zeroFilledFrames = zeroFilledFrames.load(ordering: .relaxed)
        copy.oversizedAsks = oversizedAsks.load(ordering: .relaxed)
        copy.droppedInputFrames = droppedInputFrames.load(ordering: .relaxed)
        copy.formatChanges = formatChanges.load(ordering: .relaxed)
        copy.droppedTapSamples = droppedTapSamples.load(ordering: .relaxed)
        copy.longestTurnMicroseconds = [captureTurn.longest, playbackTurn.longest].compactMap { $0 }.max()
        copy.periodMicroseconds = [captureTurn.period, playbackTurn.period].compactMap { $0 }.min()
        return copy
    }

    var latency: UnitLatency {
        var copy = UnitLatency()
        copy.captureDevice = captureDevice.value
        copy.processing = processing.value
        copy.captureConversion = captureConversion.value
        copy.playbackConversion = playbackConversion.value
        copy.playbackDevice = playbackDevice.value
        return copy
    }

    /// Forgets the delays of a device that no longer runs.
    func forgetLatency() {
        captureDevice.clear()
        processing.clear()
        captureConversion.clear()
        playbackConversion.clear()
        playbackDevice.clear()
    }
}

/// A delay in milliseconds that one thread writes and any reads; nil until written.
struct AtomicMilliseconds: ~Copyable {
    private let bits = Atomic<UInt64>(Double.nan.bitPattern)

    @_noLocks
    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Moves an eighth of the way to `value`, for figures that jump from block to block.
    @_noLocks
    func approach(_ value: Double) {
        let old = Double(bitPattern: bits.load(ordering: .relaxed))
        store(old.isNaN ? value : old + (value - old) / 8)
    }

    func clear() { bits.store(Double.nan.bitPattern, ordering: .relaxed) }

    var value: Double? {
        let number = Double(bitPattern: bits.load(ordering: .relaxed))
        return number.isNaN ? nil : number
    }
}

/// Rate and channels of the hardware, which one thread writes and any reads; nil until written.
///
/// One word holds both, so that no reader gets the rate of one format with the channels of another.
struct AtomicHardwareFormat: ~Copyable {
    private let word = Atomic<UInt64>(0)

    /// Keeps a format whose rate is in `StreamFormat.sampleRates`, to a thousandth of a hertz.
    func store(_ format: DeviceStreamFormat) {
        let rate = UInt64((format.sampleRate * 1000).rounded())
        word.store(rate << 16 | UInt64(UInt16(clamping: format.channels)), ordering: .relaxed)
    }

    var value: StreamFormat? {
        let word = word.load(ordering: .relaxed)
        guard word > 0 else { return nil }
        return StreamFormat(
            sampleRate: Double(word >> 16) / 1000, channels: Int(word & 0xFFFF), sampleType: .float32, interleaved: true)
    }
}
