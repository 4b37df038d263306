import DSP
import Realtime

/// The far end's last seconds, and the one place where it is resampled: read at a position that moves on a little faster or
/// slower than the microphone, which takes out the drift of the two clocks.
///
/// Positions count samples of the reference since the start. Between samples a `FractionalInterpolator` reads; at whole
/// positions and the microphone's own pace samples come out as they went in.
package struct ReferenceLine: ~Copyable {
    private var ring: RingConsumer<Float>
    private let history: UnsafeMutablePointer<Float>
    private let mask: Int
    private let scratch: UnsafeMutablePointer<Float>
    private let longestBlock: Int
    private let interpolator = FractionalInterpolator()
    /// Samples taken from the ring so far.
    package private(set) var written: Int64 = 0
    /// Where the next block is read from; nil until placed.
    package private(set) var position: Double?

    /// The pace is held to within 1 % of the microphone's.
    private static var paces: ClosedRange<Double> { @_noLocks get { 0.99...1.01 } }

    /// - Parameters:
    ///   - ring: where the playback thread puts what it plays.
    ///   - capacity: samples kept, at least.
    ///   - longestBlock: samples of the longest block that is read.
    package init(ring: consuming RingConsumer<Float>, capacity: Int, longestBlock: Int) {
        self.ring = ring
        self.longestBlock = longestBlock
        var size = 1
        while size < capacity { size *= 2 }
        mask = size - 1
        history = cleared(size)
        scratch = cleared(longestBlock + longestBlock / 64 + 4 + FractionalInterpolator.taps)
    }

    deinit {
        history.deallocate()
        scratch.deallocate()
    }

    /// Takes in what has been played since the last time. What is no sample becomes silence.
    @_noLocks
    package mutating func drain() {
        while true {
            let start = Int(truncatingIfNeeded: written) & mask
            let taken = ring.read(into: history + start, count: mask &+ 1 &- start)
            if taken == 0 { return }
            for index in start..<(start &+ taken) { history[index] = bounded(history[index]) }
            written &+= Int64(taken)
        }
    }

    /// Reads from `position` on, next time.
    @_noLocks
    package mutating func place(at position: Double) {
        guard position.magnitude < 1e15 else { return }
        self.position = position
    }

    /// Reads `count` samples at `pace` samples of the reference for each of the microphone, and moves on.
    ///
    /// - Returns: how many samples were not there; zeros stand in for them.
    @_noLocks
    package mutating func read(_ block: UnsafeMutablePointer<Float>, count: Int, pace: Double) -> Int {
        guard let position, count <= longestBlock else {
            zero(block, frames: count)
            return count
        }
        let step = pace > Self.paces.lowerBound ? min(pace, Self.paces.upperBound) : Self.paces.lowerBound
        let first = roundedDown(position)
        let fraction = position - Double(first)
        self.position = position + Double(count) * step
        if fraction == 0, step == 1 { return copy(from: first, into: block, count: count) }
        let before = FractionalInterpolator.samplesBefore
        let span = Int(Double(count) * step) &+ 2
        _ = copy(from: first &- Int64(before), into: scratch, count: span &+ FractionalInterpolator.taps)
        interpolator.read(scratch, position: fraction, step: step, count: count, into: block)
        return missing(from: first, count: count)
    }

    /// Copies `count` samples from `first` on as they were played.
    ///
    /// - Returns: how many were not there; zeros stand in for them.
    @_noLocks
    package func copy(from first: Int64, into block: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let oldest = max(0, written &- Int64(mask &+ 1))
        for index in 0..<count {
            let sample = first &+ Int64(index)
            let isThere = sample >= oldest && sample < written
            block[index] = isThere ? history[Int(truncatingIfNeeded: sample) & mask] : 0
        }
        return missing(from: first, count: count)
    }

    /// `FloatingPointRoundingRule` is nothing for render threads.
    @_noLocks
    private func roundedDown(_ value: Double) -> Int64 {
        let whole = Int64(value)
        return Double(whole) > value ? whole &- 1 : whole
    }

    @_noLocks
    private func missing(from first: Int64, count: Int) -> Int {
        let oldest = max(0, written &- Int64(mask &+ 1))
        let there = min(first &+ Int64(count), written) &- max(first, oldest)
        return count &- Int(max(0, there))
    }
}
