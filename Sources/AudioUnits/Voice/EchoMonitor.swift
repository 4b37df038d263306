import Synchronization

/// Measures what echo control achieves: powers of microphone and output, smoothed while the far end speaks.
struct EchoMonitor: BitwiseCopyable {
    private var microphone: Float = 0
    private var output: Float = 0
    private var farQuiet = Int.max / 2
    private var steadyBlocks = 0
    private var doubtfulBlocks = 0
    private var converged = false

    /// Far-end speech is a block over -50 dBFS.
    private static var farThreshold: Float { @_noLocks get { 1e-5 } }
    /// The room rings on for this many 10 ms blocks.
    private static var hangover: Int { @_noLocks get { 30 } }
    /// Smoothing of the powers: about half a second.
    private static var rate: Float { @_noLocks get { 0.02 } }

    init() {}

    /// Whether the far end speaks or its echo may still ring.
    var farActive: Bool {
        @_noLocks get { farQuiet < Self.hangover }
    }

    /// Who speaks in a block that came out: the near end where it is 12 dB over what is usually left of the echo.
    @_noLocks
    func nearEnd(_ block: UnsafePointer<Float>, count: Int) -> NearEndActivity {
        let isOver = meanPower(block, count: count) > 16 * output
        return NearEndActivity(isFarActive: farActive, presence: isOver ? 1 : 0)
    }

    /// Takes in one block's mean powers (full scale 1).
    @_noLocks
    mutating func update(far: Float, microphone mic: Float, output out: Float, meters: UnsafePointer<EchoMeters>) {
        farQuiet = far > Self.farThreshold ? 0 : min(farQuiet &+ 1, 1_000_000)
        guard farActive else { return }
        // A converged canceller that suddenly lets half of the microphone through hears the near end: not its doing,
        // unless it lasts.
        if converged, out > 0.5 * mic, doubtfulBlocks < 300 {
            doubtfulBlocks &+= 1
            return
        }
        doubtfulBlocks = 0
        microphone += (mic - microphone) * Self.rate
        output += (out - output) * Self.rate
        guard microphone > 1e-9 else { return }
        let ratio = microphone / max(output, 1e-12)
        steadyBlocks = ratio > 10 ? steadyBlocks &+ 1 : 0
        if steadyBlocks >= 50 { converged = true }
        if ratio < 4 { converged = false }
        meters.pointee.erleRatio.store(Double(ratio).bitPattern, ordering: .relaxed)
        meters.pointee.converged.store(converged, ordering: .relaxed)
    }
}

/// Mean power of a block.
@_noLocks
func meanPower(_ block: UnsafePointer<Float>, count: Int) -> Float {
    var sum: Float = 0
    for index in 0..<count { sum += block[index] * block[index] }
    return sum / Float(max(1, count))
}
