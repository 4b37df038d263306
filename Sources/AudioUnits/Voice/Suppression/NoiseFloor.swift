/// Power of the room's noise per bin: the least mean over 100 ms within the last 1.6 s (minimum statistics, Martin 2001),
/// which speech and echo leave free now and then. Means of their own, not a running one: a pause of 200 ms is enough.
package struct NoiseFloor: ~Copyable {
    /// The noise's mean power, one a bin.
    package let power: UnsafeMutablePointer<Float>
    private let bins: Int
    /// Sum of the stretch that runs, and means of those before it.
    private let running: UnsafeMutablePointer<Float>
    private let means: UnsafeMutablePointer<Float>
    private var blocks = 0
    private var stretch = 0
    /// Blocks of the stretch that runs: few at first, before anybody speaks.
    private var length = 2

    private static var stretches: Int { @_noLocks get { 16 } }
    private static var longestStretch: Int { @_noLocks get { 10 } }
    /// The minimum lies under the mean: by 1.97 for white noise. A little less, for what fills in should not stand out.
    private static var bias: Float { @_noLocks get { 1.6 } }
    private static var highest: Float { @_noLocks get { 1e9 } }

    /// For spectra of `bins` bins.
    package init(bins: Int) {
        self.bins = bins
        power = cleared(bins)
        running = cleared(bins)
        means = cleared(bins * Self.stretches)
        for index in 0..<bins * Self.stretches { means[index] = Self.highest }
    }

    deinit {
        for plane in [power, running, means] { plane.deallocate() }
    }

    /// Takes in the power of a block, one value a bin.
    @_noLocks
    package mutating func update(_ input: UnsafePointer<Float>) {
        for bin in 0..<bins { running[bin] += input[bin] }
        blocks &+= 1
        if blocks >= length { closeStretch() }
    }

    @_noLocks
    private mutating func closeStretch() {
        let row = means + stretch &* bins
        stretch = (stretch &+ 1) % Self.stretches
        for bin in 0..<bins {
            row[bin] = min(Self.highest, running[bin] / Float(blocks))
            running[bin] = 0
            power[bin] = row[bin]
        }
        for other in 0..<Self.stretches {
            let earlier = means + other &* bins
            for bin in 0..<bins { power[bin] = min(power[bin], earlier[bin]) }
        }
        for bin in 0..<bins { power[bin] *= Self.bias }
        blocks = 0
        length = min(length &+ 2, Self.longestStretch)
    }
}
