import Codecs

/// Makes sound in place of what is missing, and joins what follows to it.
///
/// Lost speech is concealed, by the codec where it can; silence becomes comfort noise. What is made goes to the end of the
/// queue that is given; what was done is told to the record.
package struct GapFiller: ~Copyable {
    /// The gap that is being filled.
    package var gap = Gap()
    private let sampleRate: Int
    private let tuning: ConcealmentTuning
    private let concealment: Concealment
    private let interpolation: Interpolation
    private var noise: BackgroundNoise
    /// What the concealment would have gone on with.
    private let continuation: Scratch
    /// Noise on its way into what fades.
    private let background: Scratch
    private let longestInterpolation: Int
    private let decisions: SoundDecisions?

    /// - Parameters:
    ///   - frame: samples of the longest stretch that is interpolated.
    ///   - seed: of the comfort noise.
    ///   - decisions: note what the sound decides, or decide in its place.
    package init(
        sampleRate: Int, frame: Int, seed: UInt64, tuning: ConcealmentTuning = ConcealmentTuning(),
        pitch: PitchTuning = PitchTuning(), decisions: SoundDecisions? = nil
    ) {
        self.decisions = decisions
        self.sampleRate = sampleRate
        self.tuning = tuning
        concealment = Concealment(sampleRate: sampleRate, tuning: tuning, pitch: pitch)
        interpolation = Interpolation(sampleRate: sampleRate, longest: frame, tuning: tuning, pitch: pitch)
        noise = BackgroundNoise(seed: seed, tuning: tuning)
        continuation = Scratch(count: sampleRate * tuning.mergeMilliseconds / 1000)
        background = Scratch(count: frame)
        longestInterpolation = frame
    }

    /// What is known of the sound that is missing.
    package struct Circumstances {
        /// Whether the buffer holds nothing at all.
        package let isEmpty: Bool
        /// Whether the sender fell silent.
        package let isInSilence: Bool
        /// Whether what was heard last is a settled pause.
        package let isInPause: Bool
        /// Whether the sender sent no sound for it: a telephone event, or nothing while the call is held.
        package let isUnsent: Bool
        /// Mean square of the background; nil before anything was heard.
        package let background: Float?

        package init(
            isEmpty: Bool, isInSilence: Bool, isInPause: Bool = false, isUnsent: Bool = false, background: Float? = nil
        ) {
            self.isEmpty = isEmpty
            self.isInSilence = isInSilence
            self.isInPause = isInPause
            self.isUnsent = isUnsent
            self.background = background
        }

        /// What is missing from a silence is silence, and so it is, as far as anybody knows, after a settled pause.
        var isSilence: Bool { isInSilence || isUnsent || (isEmpty && isInPause) }

        /// Whether it is silence as far as anybody knows: the next packet tells whether some before it are lost.
        var isPresumed: Bool { isSilence && isEmpty && !isUnsent }
    }

    // MARK: Filling

    /// Puts at least `wanted` samples in place of what is missing, as far as the codec's memory goes.
    /// - Returns: what the samples are.
    package mutating func fill(
        _ wanted: Int, _ missing: Circumstances, by decoder: borrowing StreamDecoder, into queue: PlayoutQueue,
        _ record: PlayoutRecord
    ) -> PlayoutReason {
        open(missing, decoder.codec, queue, record)
        let output = decoder.decoded.base
        let limit = decoder.decoded.count
        // libopus conceals speech in steps of 10 ms; what is too much becomes delay, or is skipped afterwards.
        let step = max(1, sampleRate / 100)
        let whole = min((max(wanted, 1) + step - 1) / step * step, limit / step * step)
        var count = whole
        let isConcealed = decoder.codec.conceal(frames: whole, into: decoder.decoded.buffer)
        if isConcealed, !missing.isSilence, decisions.settle(concealment.isSteadyTone) {
            // The codec was asked only to keep its state going.
            concealment.generate(into: output, count: count)
            gap.needsMerge = true
        } else if !isConcealed {
            count = min(max(wanted, 1), limit)
            gap.needsMerge = true
            if missing.isSilence {
                noise.generate(into: output, count: count, level: missing.background)
            } else {
                concealment.generate(into: output, count: count)
                if milliseconds(gap.elapsed) >= tuning.noiseAfter {
                    addNoise(to: output, count: count, level: missing.background)
                }
            }
        }
        return append(count, missing, from: output, to: queue, record)
    }

    /// Fills the rest of a gap whose next packet is here already, drawn between both of its ends; only for codecs without a
    /// concealment of their own.
    /// - Parameters:
    ///   - length: samples that are missing.
    ///   - payload: the next packet's.
    /// - Returns: what the samples are; nil when it does not apply.
    package mutating func interpolate(
        _ length: Int, to payload: UnsafeRawBufferPointer, _ missing: Circumstances,
        by decoder: borrowing StreamDecoder, into queue: PlayoutQueue, _ record: PlayoutRecord
    ) -> PlayoutReason? {
        guard !decoder.codec.concealsItself, !missing.isInSilence, length > 0,
            length <= min(longestInterpolation, decoder.decoded.count),
            let ahead = decoder.lookAhead(payload), interpolation.canBridge(length, ahead: ahead)
        else { return nil }
        open(missing, decoder.codec, queue, record)
        interpolation.bridge(
            length, from: concealment, to: decoder.scrap.base, ahead: ahead, into: decoder.decoded.base)
        let reason = append(length, missing, from: decoder.decoded.base, to: queue, record)
        // It leads into the packet's first sample.
        gap.needsMerge = false
        return reason
    }

    private mutating func open(
        _ missing: Circumstances, _ codec: any AudioDecoder, _ queue: PlayoutQueue, _ record: PlayoutRecord
    ) {
        if !gap.isOpen {
            codec.keepState()
            concealment.begin(end: queue.tail(0))
        }
        guard !missing.isSilence else { return }
        if !gap.isCounted {
            gap.isCounted = true
            record.statistics.concealments += 1
        }
        if missing.isEmpty, gap.emptied == 0 { noteUnderrun(record) }
    }

    private mutating func append(
        _ count: Int, _ missing: Circumstances, from output: UnsafePointer<Float>, to queue: PlayoutQueue,
        _ record: PlayoutRecord
    ) -> PlayoutReason {
        let elapsed = milliseconds(gap.elapsed)
        queue.append(output, count: count)
        gap.concealed += Int64(count)
        gap.elapsed += Int64(count)
        gap.isSilence = missing.isSilence
        // In the sender's silence nothing is late; in a pause between its words something may be.
        if missing.isEmpty, !missing.isInSilence { gap.emptied += Int64(count) }
        let duration = milliseconds(Int64(count))
        let reason: PlayoutReason
        if missing.isSilence {
            record.statistics.comfortNoiseMs += duration
            if missing.isPresumed {
                if elapsed < tuning.shortGap { gap.presumed.short += Int64(count) } else { gap.presumed.long += Int64(count) }
            }
            reason = .comfortNoise
        } else if elapsed < tuning.shortGap {
            record.statistics.concealShortMs += duration
            reason = .concealShort
        } else {
            record.statistics.concealLongMs += duration
            if !gap.isLong { record.statistics.longConcealments += 1 }
            gap.isLong = true
            reason = .concealLong
        }
        record.ledger.add(count, as: reason)
        return reason
    }

    /// Packets are lost of what was taken for the sender's pause: what was made in their place is concealment after all.
    /// How it sounded stays.
    /// - Parameter samples: that are missing; what was not made in this gap is passed over.
    package mutating func noteMissing(_ samples: Int64, _ record: PlayoutRecord) {
        let short = min(max(0, samples), gap.presumed.short)
        let long = min(max(0, samples) - short, gap.presumed.long)
        guard short + long > 0 else { return }
        gap.presumed = (gap.presumed.short - short, gap.presumed.long - long)
        if !gap.isCounted {
            gap.isCounted = true
            record.statistics.concealments += 1
        }
        if !gap.isUnderrun { noteUnderrun(record) }
        if long > 0, !gap.isLong {
            gap.isLong = true
            record.statistics.longConcealments += 1
        }
        record.noteMissing(short: short, long: long, sampleRate: sampleRate)
    }

    private mutating func noteUnderrun(_ record: PlayoutRecord) {
        gap.isUnderrun = true
        record.statistics.underruns += 1
    }

    private mutating func addNoise(to output: UnsafeMutablePointer<Float>, count: Int, level: Float?) {
        var done = 0
        while done < count {
            let part = min(count - done, background.count)
            noise.generate(into: background.base, count: part, level: level)
            for index in 0..<part { output[done + index] += background.base[index] }
            done += part
        }
    }

    // MARK: Comfort noise

    /// The sender described its background (RFC 3389).
    package mutating func adopt(_ spectrum: NoiseSpectrum) { noise.adopt(spectrum) }

    /// A frame of the sender's pause: what the background sounds like.
    package mutating func learn(_ samples: UnsafePointer<Float>, count: Int) { noise.learn(samples, count: count) }

    /// Comfort noise in place of a packet that announces silence.
    /// - Parameter level: mean square of the background; nil before anything was heard.
    package mutating func comfortNoise(into output: UnsafeMutablePointer<Float>, count: Int, level: Float?) {
        noise.generate(into: output, count: count, level: level)
    }

    // MARK: Joining

    /// Makes what the concealment would have gone on with, for the cross-fade into what follows.
    /// - Parameter codec: asked first where it conceals; nil once it has gone on to what follows.
    package mutating func makeContinuation(by codec: (any AudioDecoder)?, after queue: PlayoutQueue, level: Float?) {
        let count = continuation.count
        gap.hasContinuation = true
        if gap.isSilence, codec?.concealsItself != true {
            return noise.generate(into: continuation.base, count: count, level: level)
        }
        if let codec, gap.isSilence || !concealment.isSteadyTone,
            codec.conceal(frames: count, into: continuation.buffer)
        {
            return
        }
        if !gap.isOpen { concealment.begin(end: queue.tail(0)) }
        concealment.generate(into: continuation.base, count: count)
    }

    /// Ends the gap: joins `fresh` to what was made in its place.
    /// - Returns: samples left out at the start of `fresh`; the join is written over those that follow.
    package mutating func join(
        _ fresh: UnsafeMutablePointer<Float>, count: Int, after queue: PlayoutQueue, level: Float?
    ) -> Int {
        defer { gap = Gap() }
        guard gap.needsMerge, count > 0 else { return 0 }
        if !gap.hasContinuation { makeContinuation(by: nil, after: queue, level: level) }
        return Merge.join(
            continuation: continuation.base, fresh: fresh, count: count, searchable: Int(clamping: gap.shift),
            sampleRate: sampleRate, tuning: tuning)
    }

    private func milliseconds(_ samples: Int64) -> Double { Double(samples) * 1000 / Double(sampleRate) }
}
