import Synchronization

/// Measures what echo control achieves: powers of microphone and output, smoothed while the far end speaks alone.
struct EchoMonitor: BitwiseCopyable {
    private let tuning: EchoMonitorTuning
    private let activity: ActivityTuning
    private var microphone: Float = 0
    private var output: Float = 0
    /// The same over 40 ms, whoever speaks.
    private var recentMicrophone: Float = 0
    private var recentOutput: Float = 0
    private var farQuiet = Int.max / 2
    private var steadyBlocks = 0
    private var undecidedBlocks = 0
    /// Whether the echo has been 10 dB down for half a second of far-end speech.
    private(set) var isConverged = false
    /// Blocks measured so far.
    private(set) var blocks = 0

    init(tuning: EchoMonitorTuning = EchoMonitorTuning(), activity: ActivityTuning = ActivityTuning()) {
        self.tuning = tuning
        self.activity = activity
    }

    /// Whether the far end speaks or its echo may still ring.
    var isFarActive: Bool {
        @_noLocks get { farQuiet < tuning.hangover }
    }

    /// Whether echo control has let most of the last 40 ms through: what it thinks is the near end may be believed. Where most
    /// was echo, some of what is left is.
    var isMostlyNear: Bool {
        @_noLocks get { recentOutput > tuning.mostlyNear * recentMicrophone }
    }

    /// Mean power of what is left of the echo.
    var residualPower: Float {
        @_noLocks get { output }
    }

    /// Who speaks in a block that came out, where echo control does not tell: the near end where it is 12 dB over what is
    /// usually left of the echo.
    @_noLocks
    func nearEnd(_ block: UnsafePointer<Float>, count: Int) -> NearEndActivity {
        let isOver = meanPower(block, count: count) > tuning.overResidual * output
        return NearEndActivity(isFarActive: isFarActive, presence: isOver ? 1 : 0)
    }

    /// Power of the microphone over that of the output while the far end speaks alone; nil before that was measured.
    var ratio: Float? {
        @_noLocks get { microphone > 1e-9 ? microphone / max(output, 1e-12) : nil }
    }

    /// Takes in one block's mean powers (full scale 1). `presence`: near-end speech, 0 ... 1; nil where nothing tells.
    @_noLocks
    mutating func update(
        far: Float, microphone mic: Float, output out: Float, presence: Float?, meters: UnsafePointer<EchoMeters>
    ) {
        farQuiet = far > activity.farThreshold ? 0 : min(farQuiet &+ 1, 1_000_000)
        guard mic.isFinite, out.isFinite else { return }
        recentMicrophone += (mic - recentMicrophone) * tuning.recentRate
        recentOutput += (out - recentOutput) * tuning.recentRate
        guard isFarActive else { return }
        if let presence {
            guard presence < activity.presence else { return }
        } else if isConverged, out > tuning.undecidedShare * mic, undecidedBlocks < tuning.undecidedBlocks {
            // A converged canceller that suddenly lets half of the microphone through hears the near end: not its
            // doing, unless it lasts.
            undecidedBlocks &+= 1
            return
        }
        undecidedBlocks = 0
        blocks &+= 1
        microphone += (mic - microphone) * tuning.rate
        output += (out - output) * tuning.rate
        guard let ratio else { return }
        steadyBlocks = ratio > tuning.converged ? steadyBlocks &+ 1 : 0
        if steadyBlocks >= tuning.steadyBlocks { isConverged = true }
        if ratio < tuning.lost { isConverged = false }
        meters.pointee.erleRatio.store(Double(ratio).bitPattern, ordering: .relaxed)
        meters.pointee.converged.store(isConverged, ordering: .relaxed)
    }
}

/// Mean power of a block.
@_noLocks
package func meanPower(_ block: UnsafePointer<Float>, count: Int) -> Float {
    var sum: Float = 0
    for index in 0..<count { sum += block[index] * block[index] }
    return sum / Float(max(1, count))
}
