/// Power of the room's noise per bin: the least mean over 100 ms within the last 1.6 s (minimum statistics, Martin 2001),
/// which speech and echo leave free now and then. Means of their own, not a running one: a pause of 200 ms is enough.
///
/// If the far end speaks for longer than that, its echo would count as noise until the filters cancel it. So a stretch that is
/// mostly echo counts a third of its time. It can still lower the noise.
package struct NoiseFloor: ~Copyable {
    /// The noise's mean power, one a bin.
    package let power: UnsafeMutablePointer<Float>
    private let tuning: NoiseFloorTuning
    private let bins: Int
    /// Sum of the stretch that runs, and means of those before it.
    private let running: UnsafeMutablePointer<Float>
    private let means: UnsafeMutablePointer<Float>
    private let echoRunning: UnsafeMutablePointer<Float>
    private var blocks = 0
    /// Time since the newest of the means was begun, in stretches.
    private var age: Float = 1
    private var stretch = 0
    /// Blocks of the stretch that runs: few at first, before anybody speaks.
    private var length = 2

    private static var stretches: Int { @_noLocks get { 16 } }
    private static var highest: Float { @_noLocks get { 1e9 } }

    /// For spectra of `bins` bins.
    package init(bins: Int, tuning: NoiseFloorTuning = NoiseFloorTuning()) {
        self.tuning = tuning
        self.bins = bins
        power = cleared(bins)
        running = cleared(bins)
        echoRunning = cleared(bins)
        means = cleared(bins * Self.stretches)
        for index in 0..<bins * Self.stretches { means[index] = Self.highest }
    }

    deinit {
        for plane in [power, running, means, echoRunning] { plane.deallocate() }
    }

    /// Takes in the power of a block, and how much of it echo is held to be; one value a bin.
    @_noLocks
    package mutating func update(_ input: UnsafePointer<Float>, echo: UnsafePointer<Float>) {
        for bin in 0..<bins {
            running[bin] += input[bin]
            echoRunning[bin] += echo[bin]
        }
        blocks &+= 1
        if blocks >= length { closeStretch() }
    }

    @_noLocks
    private mutating func closeStretch() {
        var echoing: Float = 0
        for bin in 0..<bins {
            if echoRunning[bin] > tuning.echoShare * running[bin] { echoing += 1 }
            echoRunning[bin] = 0
        }
        age += echoing > tuning.echoBins * Float(bins) ? tuning.echoTime : 1
        let isNext = age >= 1
        if isNext {
            age = 0
            stretch = (stretch &+ 1) % Self.stretches
        }
        let row = means + stretch &* bins
        for bin in 0..<bins {
            let mean = min(Self.highest, running[bin] / Float(blocks))
            row[bin] = isNext ? mean : min(row[bin], mean)
            running[bin] = 0
            power[bin] = row[bin]
        }
        for other in 0..<Self.stretches {
            let earlier = means + other &* bins
            for bin in 0..<bins { power[bin] = min(power[bin], earlier[bin]) }
        }
        for bin in 0..<bins { power[bin] *= tuning.bias }
        blocks = 0
        length = min(length &+ 2, tuning.longestStretch)
    }
}
