import Codecs

/// Writes sound to the end of the queue that is pulled from: decoded, or made by the `GapFiller`, stretched by the
/// `Stretcher`.
///
///     decoded -> GapFiller.join -> Stretcher -> PlayoutQueue -> take
///                GapFiller.fill ---------------------^
package struct SoundWriter: ~Copyable {
    /// How the samples at the end of the queue were made.
    package var lastSound = PlayoutReason.normal
    private let queue: PlayoutQueue
    private var filler: GapFiller
    private var stretcher: Stretcher
    private let sampleRate: Int
    private let frame: Int
    private let decisions: SoundDecisions?

    /// - Parameters:
    ///   - frame: samples worked on at once.
    ///   - longestPacket: samples.
    ///   - seed: of the comfort noise.
    ///   - decisions: note what the sound decides, or decide in its place.
    package init(
        sampleRate: Int, frame: Int, longestPacket: Int, seed: UInt64, tuning: JitterBufferTuning,
        decisions: SoundDecisions? = nil
    ) {
        self.decisions = decisions
        self.sampleRate = sampleRate
        self.frame = frame
        queue = PlayoutQueue(
            historyLength: Concealment.historyLength(sampleRate: sampleRate), room: longestPacket + 8 * frame)
        filler = GapFiller(
            sampleRate: sampleRate, frame: frame, seed: seed, tuning: tuning.concealment, pitch: tuning.pitch,
            decisions: decisions)
        stretcher = Stretcher(sampleRate: sampleRate, frame: frame, tuning: tuning.stretch, pitch: tuning.pitch)
    }

    /// Goes on where a writer at another rate was, but for the queue.
    mutating func takeOver(_ other: borrowing SoundWriter) { stretcher.takeOver(other.stretcher) }

    /// Samples that wait to be pulled.
    package var pending: Int { queue.pending }

    /// The gap that is being filled.
    package var gap: Gap {
        get { filler.gap }
        set { filler.gap = newValue }
    }

    /// Takes out as many samples as there are, at most `count`.
    package func take(into output: UnsafeMutablePointer<Float>, count: Int) -> Int {
        queue.take(into: output, count: count)
    }

    /// The delay is right: no move of it goes on.
    package mutating func settleStretch() { stretcher.settle() }

    // MARK: Missing sound

    /// Conceals at least `wanted` samples, as far as there is memory for them.
    /// - Parameters:
    ///   - isEmpty: whether no packet is there at all.
    ///   - isInSilence: whether the sender fell silent.
    ///   - isUnsent: whether it sent no sound for what is missing, as far as is known.
    package mutating func conceal(
        _ wanted: Int, by decoder: borrowing StreamDecoder, isEmpty: Bool, isInSilence: Bool, isUnsent: Bool = false,
        _ pull: inout Pull
    ) {
        let missing = circumstances(isEmpty: isEmpty, isInSilence: isInSilence, isUnsent: isUnsent)
        lastSound = filler.fill(wanted, missing, by: decoder, into: queue, pull.record)
        pull.note(lastSound)
    }

    /// So many samples of what was taken for the sender's pause are lost.
    package mutating func noteMissing(_ samples: Int64, _ record: PlayoutRecord) { filler.noteMissing(samples, record) }

    private func circumstances(isEmpty: Bool, isInSilence: Bool, isUnsent: Bool = false) -> GapFiller.Circumstances {
        GapFiller.Circumstances(
            isEmpty: isEmpty, isInSilence: isInSilence, isInPause: decisions.settle(stretcher.pauses.isSettled),
            isUnsent: isUnsent, background: stretcher.pauses.noise)
    }

    /// Fills `count` samples between what was heard and the packet that follows them.
    /// - Returns: false when a gap like this is concealed.
    package mutating func interpolate(
        _ count: Int, to packet: StoredPacket, by decoder: borrowing StreamDecoder, isInSilence: Bool, _ pull: inout Pull
    ) -> Bool {
        let missing = circumstances(isEmpty: false, isInSilence: isInSilence)
        guard
            let sound = filler.interpolate(
                count, to: pull.packets.payload(of: packet), missing, by: decoder, into: queue, pull.record)
        else { return false }
        lastSound = sound
        pull.note(sound)
        return true
    }

    /// Makes what the concealment would have gone on with, before the codec goes on to what follows.
    package mutating func makeContinuation(by codec: any AudioDecoder) {
        filler.makeContinuation(by: codec, after: queue, level: stretcher.pauses.noise)
    }

    // MARK: Comfort noise

    /// The sender described its background (RFC 3389).
    package mutating func adopt(_ spectrum: NoiseSpectrum) { filler.adopt(spectrum) }

    /// Makes comfort noise, to be delivered like a decoded packet.
    package mutating func comfortNoise(_ count: Int, into decoded: Scratch) {
        filler.comfortNoise(into: decoded.base, count: count, level: stretcher.pauses.noise)
        filler.gap.needsMerge = true
    }

    // MARK: Decoded sound

    /// Sends decoded samples to the queue: joined to what was concealed before them, then stretched as wanted.
    /// - Parameters:
    ///   - count: samples decoded.
    ///   - skip: those of them that are too late.
    ///   - stretch: samples to take out (positive) or put in (negative).
    ///   - isInSilence: whether they are the sender's silence, which is not its background.
    package mutating func deliver(
        _ decoded: Scratch, count made: Int, skip: Int, stretch: Int, isInSilence: Bool, _ pull: inout Pull
    ) {
        let skipped = min(max(skip, 0), made)
        var start = decoded.base + skipped
        var count = made - skipped
        pull.record.ledger.add(count, as: lastSound)
        let fitting = filler.join(start, count: count, after: queue, level: stretcher.pauses.noise)
        let left = decisions?.settle(fitting, in: 0...count) ?? fitting
        start += left
        count -= left
        pull.record.noteJoin(left, sampleRate: sampleRate)
        var remaining = stretch
        while count > 0 {
            let length = min(count, frame)
            stretcher.hear(start, count: length)
            if stretcher.pauses.isSettled, !isInSilence { filler.learn(start, count: length) }
            let result = stretched(start, count: length, by: remaining)
            queue.append(result.samples, count: result.count)
            if result.shift != 0 {
                pull.record.noteStretch(result.shift, sampleRate: sampleRate)
                pull.note(result.shift > 0 ? .accelerate : .decelerate)
            }
            remaining -= result.shift
            start += length
            count -= length
        }
    }
    /// A frame, stretched as its sound allows, or as another sound in its place had allowed.
    private mutating func stretched(_ start: UnsafePointer<Float>, count: Int, by wanted: Int) -> Stretcher.Result {
        let result = stretcher.stretch(start, count: count, by: wanted, after: queue.tail(0))
        guard let decisions else { return result }
        // A whole pitch period may be a little more than is wanted.
        let most = wanted < 0 ? min(frame, sampleRate / 200 - wanted) : 0
        let shift = decisions.settle(result.shift, in: -most...max(0, min(wanted, count - 1)))
        return shift == result.shift ? result : stretcher.shift(start, count: count, by: shift, after: queue.tail(0))
    }
}
