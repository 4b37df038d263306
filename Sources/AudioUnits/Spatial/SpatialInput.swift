/// One placed input on the render thread: a delay line read at two places, and a shadow filter and a gain for each ear.
///
/// A new place is reached over 20 ms.
struct SpatialInput: BitwiseCopyable {
    private let line: UnsafeMutablePointer<Float>
    private let mask: Int
    private var written = 0
    /// Gains left and right, delays in frames, shadows.
    private var current: Vector
    private var target: Vector
    private var step = Vector()
    private var remaining = 0
    /// What the filters remember: input and output of the last frame.
    private var lastLeft: (input: Float, output: Float) = (0, 0)
    private var lastRight: (input: Float, output: Float) = (0, 0)

    /// Frames the line must hold at a rate: the longest delay and what interpolation needs.
    static func lineLength(sampleRate: Double) -> Int {
        var length = 16
        while Double(length) < sampleRate * HeadModel.longestDelay + 8 { length *= 2 }
        return length
    }

    init(line: UnsafeMutablePointer<Float>, length: Int, start: Vector) {
        self.line = line
        mask = length - 1
        current = start
        target = start
    }

    /// Whether nothing comes through, now and until the next change.
    var isSilent: Bool { @_noLocks get { remaining == 0 && current[0] == 0 && current[1] == 0 } }

    @_noLocks
    mutating func aim(_ place: Vector, frames: Int) {
        var isSame = true
        for lane in 0..<6 where place[lane] != target[lane] { isSame = false }
        guard !isSame else { return }
        target = place
        step = (place - current) * (1 / Float(frames))
        remaining = frames
    }

    /// So many frames on, in which there is nothing to be heard.
    @_noLocks
    mutating func pass(_ frames: Int) {
        guard frames < remaining else {
            (current, remaining) = (target, 0)
            return
        }
        remaining &-= frames
        current += step * Float(frames)
    }

    /// Adds `frames` frames of `source` to both ears. `pole` and `scale` are the shadow filter's fixed part (see
    /// `SpatialKernel`).
    @_noLocks
    mutating func add(
        _ source: UnsafeMutablePointer<Float>, frames: Int, left: UnsafeMutablePointer<Float>,
        right: UnsafeMutablePointer<Float>, filter: ShadowFilter
    ) {
        for frame in 0..<frames {
            if remaining > 0 {
                remaining &-= 1
                current = remaining == 0 ? target : current + step
            }
            line[written & mask] = source[frame]
            written = (written &+ 1) & mask
            let leftInput = read(delay: current[2])
            let rightInput = read(delay: current[3])
            left[frame] += filter.process(leftInput, &lastLeft, shadow: current[4]) * current[0]
            right[frame] += filter.process(rightInput, &lastRight, shadow: current[5]) * current[1]
        }
    }

    /// The line `delay` + 1 frames ago, between frames by the cubic through the four around (Lagrange).
    @_noLocks @inline(__always)
    private func read(delay: Float) -> Float {
        let whole = Int(delay)
        let x = delay - Float(whole)
        // `written` is one past the newest.
        let at = written &- 2 &- whole
        let (a, b, c, d) = (line[(at &+ 1) & mask], line[at & mask], line[(at &- 1) & mask], line[(at &- 2) & mask])
        let first = a * (-x * (x - 1) * (x - 2) / 6)
        let second = b * ((x + 1) * (x - 1) * (x - 2) / 2)
        let third = c * (-(x + 1) * x * (x - 2) / 2)
        let fourth = d * ((x + 1) * x * (x - 1) / 6)
        return first + second + third + fourth
    }
}

/// The head's shadow: (α s + β) / (s + β) with β = 2 c / a, by the bilinear transform. α is an ear's high-frequency gain.
struct ShadowFilter: BitwiseCopyable {
    private let beta: Float
    private let slope: Float
    private let pole: Float

    init(sampleRate: Double) {
        let (rate, corner) = (2 * sampleRate, 2 * HeadModel.speedOfSound / HeadModel.radius)
        beta = Float(corner / (rate + corner))
        slope = Float(rate / (rate + corner))
        pole = Float((corner - rate) / (rate + corner))
    }

    @_noLocks @inline(__always)
    func process(_ input: Float, _ last: inout (input: Float, output: Float), shadow: Float) -> Float {
        let edge = shadow * slope
        let output = (edge + beta) * input + (beta - edge) * last.input - pole * last.output
        // Too small to hear, or not a number: the memory is not kept.
        last = (input, output > 1e-20 || output < -1e-20 ? output : 0)
        return output
    }
}
