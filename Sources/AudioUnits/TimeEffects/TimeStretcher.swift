import DSP
import Glibc

/// Changes how long sound takes and keeps its pitch: WSOLA (W. Verhelst and M. Roelands, "An overlap-add technique based on
/// waveform similarity (WSOLA) for high quality time-scale modification of speech", ICASSP 1993).
///
/// Every hop of 20 ms continues what was heard last, faded over into a piece of the stream near where it should be by now:
/// the piece within 12 ms that looks most like that continuation. Where nothing has to move, it is the continuation itself,
/// and sound passes unchanged.
struct TimeStretcher: ~Copyable {
    /// Speeds there are: frames of the stream for each frame out.
    static var least: Double { @_noLocks get { 0.0625 } }
    static var most: Double { @_noLocks get { 16 } }

    /// Frames that one step makes.
    let hop: Int
    private let channels: Int
    private let search: SimilaritySearch
    private let fadeIn: UnsafeMutablePointer<Float>
    private let stream: Planes
    private var filled: Int
    /// Where the piece should begin that comes next, in frames of `stream`.
    private var ideal: Double
    /// Where what was heard last goes on.
    private var continuation: Int
    /// Part of a frame by which pieces began too early so far; without it a tone would drift off its pitch.
    private var carry = 0.0

    init(channels: Int, sampleRate: Double) {
        self.channels = channels
        hop = max(8, Int(sampleRate * 0.02))
        search = SimilaritySearch(
            reach: max(4, Int(sampleRate * 0.012)), length: hop, step: max(1, Int(sampleRate / 12_000)))
        fadeIn = cleared(hop)
        for index in 0..<hop {
            fadeIn[index] = Float(0.5 - 0.5 * cos(.pi * (Double(index) + 0.5) / Double(hop)))
        }
        stream = Planes(channels: channels, stride: (Int(Self.most) + 4) * hop + 4 * search.reach)
        filled = search.reach
        ideal = Double(search.reach)
        continuation = search.reach
    }

    deinit {
        fadeIn.deallocate()
        search.free()
        stream.free()
    }

    /// Makes the next `hop` frames at `speed`; `feed` as in `SpeedReader.read`.
    @_noLocks
    mutating func step(
        into target: UnsafeMutablePointer<Float>, stride: Int, speed: Double,
        feed: (UnsafeMutablePointer<Float>, Int, Int) -> Void
    ) {
        let middle = Int(ideal + 0.5)
        let end = max(continuation, middle &+ search.reach &+ 1) &+ hop
        if end > filled {
            feed(stream.base + filled, stream.stride, end &- filled)
            filled = end
        }
        let piece = choosePiece(around: middle)
        for channel in 0..<channels {
            let run = stream.base + channel &* stream.stride
            let output = target + channel &* stride
            for index in 0..<hop {
                let old = run[continuation &+ index]
                output[index] = old + (run[piece &+ index] - old) * fadeIn[index]
            }
        }
        continuation = piece &+ hop
        let speed = speed < Self.least ? Self.least : speed > Self.most ? Self.most : speed
        ideal += speed * Double(hop)
        dropUsed()
    }

    /// The frame where the most similar piece begins.
    @_noLocks
    private mutating func choosePiece(around middle: Int) -> Int {
        let distance = continuation &- middle
        // Nothing moves: the continuation is at hand and no search could find better.
        if ideal == Double(continuation) || (distance == 0 && carry == 0) { return continuation }
        let best = search.best(stream, channels: channels, around: middle, like: continuation) + carry
        let whole = Int(best + 1_000_000.5) &- 1_000_000
        let limited = max(-search.reach, min(search.reach, whole))
        carry = best - Double(limited)
        if carry > 1 || carry < -1 { carry = 0 }
        return middle &+ limited
    }

    /// Moves what is still needed to the front.
    @_noLocks
    private mutating func dropUsed() {
        let surplus = min(min(continuation, Int(ideal) &- search.reach), filled)
        guard surplus > 0 else { return }
        let kept = filled &- surplus
        for channel in 0..<channels {
            let run = stream.base + channel &* stream.stride
            for index in 0..<kept { run[index] = run[surplus &+ index] }
        }
        filled = kept
        continuation &-= surplus
        ideal -= Double(surplus)
    }
}
