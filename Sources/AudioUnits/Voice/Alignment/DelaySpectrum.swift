import DSP
import Glibc

/// Cross-correlation of microphone and far end over 0 ... 540 ms at 8 kHz: a whitened, partitioned cross-spectrum.
///
/// For each partition p of 20 ms: C_p = f C_p + M_t conj(X_{t-p}), with f = 0.98 (0.95 when it forgets fast), X the last 40 ms of
/// the far end and M the newest 20 ms of the microphone; the inverse transform of C_p holds the lags from 20 p ms on. In a block
/// all of the 27 transforms run, or some in rotation, as somebody waits for the result.
struct DelaySpectrum: ~Copyable {
    /// How soon the correlation is wanted.
    enum Haste: BitwiseCopyable {
        /// With this block, within 60 ms, within 540 ms.
        case now, soon, idle

        fileprivate var transforms: Int {
            @_noLocks get {
                switch self {
                case .now: DelaySpectrum.partitions
                case .soon: DelaySpectrum.partitions / 3
                case .idle: 1
                }
            }
        }
    }

    /// Samples of a block: 20 ms.
    static var blockLength: Int { @_noLocks get { 160 } }
    /// Lags that are looked at.
    static var lags: Int { @_noLocks get { 160 * 27 } }

    private static var partitions: Int { @_noLocks get { 27 } }
    /// Bins of 200 ... 3400 Hz.
    private static var firstBin: Int { @_noLocks get { 8 } }
    private static var bins: Int { @_noLocks get { 129 } }
    /// Samples of the taper at both ends of the far end's block; without it false peaks stand at multiples of a block.
    private static var taper: Int { @_noLocks get { 32 } }

    private let tuning: DelaySpectrumTuning
    private let transform: RealFFT
    private let farWhitener: Whitener
    private let microphoneWhitener: Whitener
    private let farWindow: UnsafeMutablePointer<Float>
    private let microphoneWindow: UnsafeMutablePointer<Float>
    private let far: UnsafeMutablePointer<Float>
    private let block: UnsafeMutablePointer<Float>
    private let spectrum: UnsafeMutablePointer<Complex>
    /// `bins` of X for each of the last `partitions` blocks, in a circle from `newest` on.
    private let farSpectra: UnsafeMutablePointer<Complex>
    private let crossSpectra: UnsafeMutablePointer<Complex>
    /// Cross-correlation at each lag, in samples.
    let correlation: UnsafeMutablePointer<Float>
    private var newest = 0
    private var rotation = 0
    /// For each partition, blocks that were accumulated with far-end speech that old, up to a few.
    private let heard: UnsafeMutablePointer<Int>
    /// Whether the far end spoke in each of the last blocks, in the circle of `farSpectra`.
    private let spoke: UnsafeMutablePointer<Bool>

    init(tuning: DelaySpectrumTuning = DelaySpectrumTuning()) throws(AudioUnitError) {
        let length = 2 * Self.blockLength
        do {
            transform = try RealFFT(length: length)
        } catch {
            throw .noResources(reason: "delay finder")
        }
        self.tuning = tuning
        farWhitener = Whitener(bins: Self.bins, floor: tuning.farFloor, tuning: tuning)
        microphoneWhitener = Whitener(bins: Self.bins, floor: tuning.microphoneFloor, tuning: tuning)
        farWindow = cleared(length)
        microphoneWindow = cleared(Self.blockLength)
        far = cleared(length)
        block = cleared(length)
        spectrum = clearedSpectrum(transform.bins)
        farSpectra = clearedSpectrum(Self.partitions * Self.bins)
        crossSpectra = clearedSpectrum(Self.partitions * Self.bins)
        correlation = cleared(Self.lags)
        heard = .allocate(capacity: Self.partitions)
        heard.initialize(repeating: 0, count: Self.partitions)
        spoke = .allocate(capacity: Self.partitions)
        spoke.initialize(repeating: false, count: Self.partitions)
        for index in 0..<length {
            let edge = min(index, length - 1 - index)
            let phase = (Double(edge) + 0.5) / Double(Self.taper) * .pi
            farWindow[index] = edge < Self.taper ? Float(0.5 - 0.5 * cos(phase)) : 1
        }
        for index in 0..<Self.blockLength {
            let phase = (Double(index) + 0.5) / Double(Self.blockLength) * .pi
            microphoneWindow[index] = Float(sin(phase))
        }
    }

    deinit {
        for memory in [farWindow, microphoneWindow, far, block, correlation] { memory.deallocate() }
        for memory in [spectrum, farSpectra, crossSpectra] { memory.deallocate() }
        heard.deallocate()
        spoke.deallocate()
    }

    /// Lags at which the far end's speech has been held against the microphone: the first so many. The others hold nothing
    /// yet, and must not make a chance peak look high.
    var filledLags: Int {
        @_noLocks get {
            var filled = 0
            while filled < Self.partitions, heard[filled] >= tuning.leastHeard { filled &+= 1 }
            return filled &* Self.blockLength
        }
    }

    /// Takes in one block of each; the correlation learns only when `accumulates`, and forgets faster when `forgetsFast`,
    /// and is as up to date as `haste` says.
    /// `farSpeaks`: whether the far end does in this block.
    @_noLocks
    mutating func process(
        far newFar: UnsafePointer<Float>, microphone: UnsafePointer<Float>, farSpeaks: Bool,
        accumulates: Bool, forgetsFast: Bool, haste: Haste
    ) {
        let length = Self.blockLength
        for index in 0..<length {
            far[index] = far[length &+ index]
            far[length &+ index] = newFar[index]
        }
        for index in 0..<(2 &* length) { block[index] = far[index] * farWindow[index] }
        transform.forward(block, into: spectrum)
        newest = newest == 0 ? Self.partitions &- 1 : newest &- 1
        spoke[newest] = farSpeaks
        let latest = farSpectra + newest &* Self.bins
        for bin in 0..<Self.bins { latest[bin] = spectrum[bin &+ Self.firstBin] }
        farWhitener.process(latest)
        guard accumulates else { return }
        for index in 0..<length {
            block[index] = 0
            block[length &+ index] = microphone[index] * microphoneWindow[index]
        }
        transform.forward(block, into: spectrum)
        microphoneWhitener.process(spectrum + Self.firstBin)
        let forgetting = forgetsFast ? tuning.shortMemory : tuning.memory
        for partition in 0..<Self.partitions {
            let turn = newest &+ partition
            let place = turn >= Self.partitions ? turn &- Self.partitions : turn
            if spoke[place] { heard[partition] = min(heard[partition] &+ 1, tuning.leastHeard) }
            accumulate(partition, far: place, forgetting: forgetting)
        }
        for _ in 0..<haste.transforms {
            correlate(rotation)
            rotation = rotation &+ 1 == Self.partitions ? 0 : rotation &+ 1
        }
    }

    /// Forgets what was heard.
    @_noLocks
    mutating func restart() {
        for index in 0..<(Self.partitions &* Self.bins) {
            crossSpectra[index] = Complex()
            farSpectra[index] = Complex()
        }
        for index in 0..<Self.lags { correlation[index] = 0 }
        for partition in 0..<Self.partitions {
            heard[partition] = 0
            spoke[partition] = false
        }
        for index in 0..<(2 &* Self.blockLength) { far[index] = 0 }
    }

    @_noLocks
    private func accumulate(_ partition: Int, far place: Int, forgetting: Float) {
        let cross = crossSpectra + partition &* Self.bins
        let x = UnsafePointer(farSpectra + place &* Self.bins)
        let m = UnsafePointer(spectrum + Self.firstBin)
        for group in 0..<Self.bins / 4 {
            let (c, a, b) = (UnsafePointer(cross).quad(4 &* group), m.quad(4 &* group), x.quad(4 &* group))
            let re = forgetting * c.re + (a.re * b.re + a.im * b.im)
            let im = forgetting * c.im + (a.im * b.re - a.re * b.im)
            cross.setQuad(4 &* group, BinVector(re, im))
        }
        for bin in (Self.bins & ~3)..<Self.bins {
            cross[bin].re = forgetting * cross[bin].re + (m[bin].re * x[bin].re + m[bin].im * x[bin].im)
            cross[bin].im = forgetting * cross[bin].im + (m[bin].im * x[bin].re - m[bin].re * x[bin].im)
        }
    }

    @_noLocks
    private mutating func correlate(_ partition: Int) {
        for bin in 0..<transform.bins {
            spectrum[bin].re = 0
            spectrum[bin].im = 0
        }
        let cross = crossSpectra + partition &* Self.bins
        for bin in 0..<Self.bins { spectrum[bin &+ Self.firstBin] = cross[bin] }
        transform.inverse(spectrum, into: block)
        let target = correlation + partition &* Self.blockLength
        for index in 0..<Self.blockLength { target[index] = block[index] }
    }
}
