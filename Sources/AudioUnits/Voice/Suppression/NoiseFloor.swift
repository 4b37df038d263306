/// Power of the room's noise per bin: the least of the smoothed power over the last 1.6 s (minimum statistics, Martin
/// 2001), which speech and echo leave free now and then.
struct NoiseFloor: ~Copyable {
    /// The noise's mean power, one a bin.
    let power: UnsafeMutablePointer<Float>
    private let bins: Int
    private let smoothed: UnsafeMutablePointer<Float>
    /// Minima of the stretch that runs and of those before it.
    private let running: UnsafeMutablePointer<Float>
    private let minima: UnsafeMutablePointer<Float>
    private let lowest: UnsafeMutablePointer<Float>
    private var blocks = 0
    private var stretch = 0
    private var hasBegun = false

    private static var stretches: Int { @_noLocks get { 8 } }
    private static var blocksPerStretch: Int { @_noLocks get { 20 } }
    /// The minimum lies under the mean.
    private static var bias: Float { @_noLocks get { 1.6 } }
    private static var highest: Float { @_noLocks get { 1e9 } }

    init(bins: Int) {
        self.bins = bins
        power = cleared(bins)
        smoothed = cleared(bins)
        running = cleared(bins)
        lowest = cleared(bins)
        minima = cleared(bins * Self.stretches)
        for index in 0..<bins { running[index] = Self.highest }
        for index in 0..<bins * Self.stretches { minima[index] = Self.highest }
    }

    deinit {
        for plane in [power, smoothed, running, minima, lowest] { plane.deallocate() }
    }

    /// Takes in the power of a block, one value a bin.
    @_noLocks
    mutating func update(_ input: UnsafePointer<Float>) {
        if !hasBegun {
            hasBegun = true
            for bin in 0..<bins { smoothed[bin] = input[bin] }
        }
        for bin in 0..<bins {
            smoothed[bin] = 0.85 * smoothed[bin] + 0.15 * input[bin] + 1e-15
            running[bin] = min(running[bin], smoothed[bin])
            power[bin] = Self.bias * min(running[bin], lowest[bin] > 0 ? lowest[bin] : running[bin])
        }
        blocks &+= 1
        if blocks >= Self.blocksPerStretch { closeStretch() }
    }

    @_noLocks
    private mutating func closeStretch() {
        blocks = 0
        let row = minima + stretch &* bins
        stretch = (stretch &+ 1) % Self.stretches
        for bin in 0..<bins {
            row[bin] = running[bin]
            running[bin] = smoothed[bin]
            var least = minima[bin]
            for other in 1..<Self.stretches { least = min(least, minima[other &* bins &+ bin]) }
            lowest[bin] = least
        }
    }
}
