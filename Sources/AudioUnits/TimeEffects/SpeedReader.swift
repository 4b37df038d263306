/// Reads a stream faster or slower than it comes, pitch included: windowed sinc at any ratio, which may change with every
/// call.
///
/// SpeexDSP's resampler, which is used for fixed ratios elsewhere, allocates when its ratio changes and so cannot follow one
/// on a render thread.
struct SpeedReader: ~Copyable {
    /// Speeds there are: frames of the stream for each frame out.
    static var least: Double { @_noLocks get { 0.25 } }
    static var most: Double { @_noLocks get { 4 } }

    private let table = SincTable()
    private let values: UnsafeMutablePointer<Float>
    private let channels: Int
    /// The stream around the place that is read.
    private let history: Planes
    private var filled: Int
    /// Where the next frame is read, in frames of `history`.
    private var position: Double
    private let taps: UnsafeMutablePointer<Float>
    /// Frames kept on either side of the position, enough for the highest speed.
    private let reach: Int

    /// `maximumFrames` bounds one call.
    init(channels: Int, maximumFrames: Int) {
        self.channels = channels
        values = table.values
        reach = SincShape.crossings * Int(Self.most) + 2
        history = Planes(channels: channels, stride: 2 * reach + (maximumFrames + 1) * Int(Self.most) + 8)
        taps = cleared(2 * reach + 8)
        filled = reach
        position = Double(reach)
    }

    deinit {
        history.free()
        taps.deallocate()
    }

    /// Fills `frames` frames at `speed`. `feed` gets where the stream's next frames go, the distance of channels there, and
    /// how many are wanted.
    @_noLocks
    mutating func read(
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, speed: Double,
        feed: (UnsafeMutablePointer<Float>, Int, Int) -> Void
    ) {
        let speed = speed < Self.least ? Self.least : speed > Self.most ? Self.most : speed
        // Played faster, the stream has to lose what would come out above half the rate.
        let cut = speed > 1 ? 1 / speed : 1
        let side = Int(Double(SincShape.crossings) / cut) &+ 1
        let end = Int(position + Double(frames &- 1) * speed) &+ side &+ 1
        if end > filled {
            feed(history.base + filled, history.stride, end &- filled)
            filled = end
        }
        for frame in 0..<frames {
            let whole = Int(position)
            let fraction = position - Double(whole)
            if fraction == 0, cut == 1 {
                for channel in 0..<channels {
                    target[channel &* stride &+ frame] = history.base[channel &* history.stride &+ whole]
                }
            } else {
                setTaps(fraction: fraction, cut: cut, side: side)
                for channel in 0..<channels {
                    target[channel &* stride &+ frame] = sum(
                        history.base + (channel &* history.stride &+ whole &- side &+ 1), count: 2 &* side)
                }
            }
            position += speed
        }
        dropRead()
    }

    /// Weights of the frames `side` - 1 before to `side` after the whole position.
    @_noLocks
    private func setTaps(fraction: Double, cut: Double, side: Int) {
        let scale = cut * Double(SincShape.steps)
        let last = SincShape.crossings &* SincShape.steps
        for tap in 0..<(2 &* side) {
            let distance = Double(tap &- side &+ 1) - fraction
            let place = (distance < 0 ? -distance : distance) * scale
            let whole = min(Int(place), last)
            let between = Float(place - Double(whole))
            let value = values[whole]
            taps[tap] = whole >= last ? 0 : (value + (values[whole &+ 1] - value) * between) * Float(cut)
        }
        // Whole vectors: what follows counts for nothing.
        for tap in (2 &* side)..<(2 &* side &+ 8) { taps[tap] = 0 }
    }

    @_noLocks
    private func sum(_ samples: UnsafeMutablePointer<Float>, count: Int) -> Float {
        var total = Vector()
        for index in 0..<((count &+ 7) / 8) { total += samples.vector(index) * taps.vector(index) }
        return total.sum()
    }

    /// Moves what is still needed to the front.
    @_noLocks
    private mutating func dropRead() {
        let surplus = Int(position) &- reach
        guard surplus > 0 else { return }
        let kept = max(0, filled &- surplus)
        for channel in 0..<channels {
            let run = history.base + channel &* history.stride
            for index in 0..<kept { run[index] = run[surplus &+ index] }
        }
        filled = kept
        position -= Double(surplus)
    }
}
