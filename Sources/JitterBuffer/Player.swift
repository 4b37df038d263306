import Codecs

/// Plays a stream: does what `DecisionLogic` decides, packet by packet, until enough sound is in the queue.
///
///     PacketBuffer -> StreamDecoder -> GapFiller.join -> Stretcher -> PlayoutQueue -> pull
///                          `--------> GapFiller.fill ----------------^
///
/// What belongs to the network comes with each call: the packets that wait, and the decisions for the pull. What was done
/// is noted in the pull and in its `record`.
package struct Player: ~Copyable {
    /// Longest frame worked on at once, in milliseconds: pauses are judged and sound is stretched by it.
    private static let frameMilliseconds = 20
    /// Lost packets that are told at once: hours of them.
    private static let mostLost: Int64 = 1 << 20

    /// Whether the stream has started.
    package private(set) var isPlaying = false
    package private(set) var cursor = PlayoutCursor()
    package private(set) var overdue: OverdueStream
    /// Where no packet waits after the one of this number, the sender has sent none; nil: they are lost or late.
    private var silentThrough: Int64?
    /// The packets up to this number that are missing were of telephone events; nil: they are lost.
    private var eventsThrough: Int64?
    /// Samples pulled since the first pull, silence before the stream included.
    package private(set) var pulled: Int64 = 0
    private let decoder: StreamDecoder
    private var writer: SoundWriter
    /// Samples of a frame.
    package let frame: Int

    package init(
        codec: any AudioDecoder, seed: UInt64, tuning: JitterBufferTuning = JitterBufferTuning(),
        decisions: SoundDecisions? = nil
    ) {
        let rate = max(codec.sampleRate, 1000)
        frame = rate * Self.frameMilliseconds / 1000
        decoder = StreamDecoder(codec: codec, frame: frame, tuning: tuning.concealment)
        writer = SoundWriter(
            sampleRate: rate, frame: frame, longestPacket: codec.maximumFrames, seed: seed, tuning: tuning,
            decisions: decisions)
        overdue = OverdueStream(tuning: tuning.stream)
    }

    /// Goes on where a player of another codec was; what it had in its queue is gone.
    mutating func takeOver(_ other: borrowing Player) {
        writer.takeOver(other.writer)
        let milliseconds = Double(other.pulled) * 1000 / Double(other.sampleRate)
        pulled = Int64(milliseconds * Double(sampleRate) / 1000)
    }

    package var sampleRate: Int { decoder.codec.sampleRate }

    /// Samples that are made but not yet pulled.
    package var pending: Int { writer.pending }

    /// Samples of the pulled stream up to the end of the queue.
    package var endOfQueue: Int64 { pulled + Int64(writer.pending) }

    /// The sample of the stream that the end of the queue stands for: decoded, or concealed in its place.
    package var mediaPosition: Int64 { cursor.position + writer.gap.concealed }

    /// Forgets the stream; what is in the queue is still played.
    package mutating func reset() {
        decoder.codec.reset()
        isPlaying = false
        cursor.isInSilence = false
        (silentThrough, eventsThrough) = (nil, nil)
        overdue.reset()
        writer.gap = Gap()
    }

    /// A packet that arrived at `arrival` milliseconds came too late to be stored.
    package mutating func noteLate(arrival: Double) { overdue.noteLate(arrival: arrival) }

    /// The sender need not send after the packet of this number.
    package mutating func noteSilence(after sequence: Int64) { silentThrough = max(silentThrough ?? sequence, sequence) }

    /// The packet of this number is of a telephone event, in the voice's place.
    package mutating func noteEvent(_ sequence: Int64) { eventsThrough = max(eventsThrough ?? sequence, sequence) }

    /// The sender is gone for good: what was taken for its pause since its last packet is missing.
    mutating func noteBrokenOff(_ record: PlayoutRecord) { writer.noteMissing(.max, record) }

    // MARK: Pull

    /// Fills the whole of `output`: with silence where nothing can be played.
    package mutating func pull(
        into output: UnsafeMutableBufferPointer<Float>, _ logic: borrowing DecisionLogic, _ pull: inout Pull
    ) {
        guard let base = output.baseAddress else { return }
        var filled = 0
        while filled < output.count {
            // In pieces, so that a huge pull needs no huge queue.
            let piece = min(output.count - filled, frame)
            if !isPlaying { startIfDue(logic, &pull) }
            while isPlaying, writer.pending < piece, produce(piece, logic, &pull) {}
            take(piece, into: base + filled, &pull)
            filled += piece
        }
        // Nothing had to be made: the block came from the rest of what was made before.
        if pull.reason == .waiting, isPlaying { pull.note(writer.lastSound) }
    }

    /// Fills the whole of `output` while there is no stream: with what is left in the queue, then silence.
    package mutating func drain(into output: UnsafeMutableBufferPointer<Float>, _ pull: inout Pull) {
        guard let base = output.baseAddress else { return }
        take(output.count, into: base, &pull)
    }

    private mutating func take(_ count: Int, into output: UnsafeMutablePointer<Float>, _ pull: inout Pull) {
        let taken = writer.take(into: output, count: count)
        (output + taken).update(repeating: 0, count: count - taken)
        pull.record.ledger.silent += Int64(count - taken)
        pull.record.ledger.pulled += Int64(count)
        pulled += Int64(count)
    }

    private mutating func startIfDue(_ logic: borrowing DecisionLogic, _ pull: inout Pull) {
        guard let first = pull.packets.first, logic.isDue(first) else { return }
        isPlaying = true
        cursor.go(to: first)
        cursor.duration = first.duration
        writer.gap = .beforeJoin
        pull.record.ledger.begin(at: cursor.position)
    }

    /// After the player stood still for `stall` milliseconds, drops what it missed instead of playing it all late.
    /// - Returns: whether a packet is here that it did not miss.
    package mutating func catchUp(_ stall: Double, _ logic: borrowing DecisionLogic, _ pull: inout Pull) -> Bool {
        var missed: StoredPacket?
        while let head = pull.packets.first, logic.isMissed(head, cursor: cursor, endOfQueue: endOfQueue, stall: stall) {
            pull.packets.removeFirst()
            missed = head
            pull.record.statistics.overflow += 1
            pull.record.noteDiscarded(head)
            pull.note(.discardOverflow)
        }
        let head = pull.packets.first
        if let missed, missed.end > cursor.position, head.map({ $0.sequence == missed.sequence &+ 1 }) ?? true {
            // What comes next goes on there, or after a pause of the sender's.
            pull.record.ledger.shifted -= missed.end - mediaPosition
            cursor.pass(missed)
            writer.gap = .beforeJoin
        } else if let head, head.position > cursor.position, head.sequence != cursor.sequence &+ 1 {
            pull.record.ledger.shifted -= head.position - mediaPosition
            cursor.go(to: head)
            writer.gap = .beforeJoin
        }
        return head != nil
    }

    /// Puts more sound into the queue.
    /// - Returns: false when nothing was or could be made.
    private mutating func produce(_ piece: Int, _ logic: borrowing DecisionLogic, _ pull: inout Pull) -> Bool {
        while let head = pull.packets.first, head.end <= cursor.position {
            pull.packets.removeFirst()
            guard head.kind != .redundant else { continue }
            overdue.noteLate(arrival: head.arrival)
            pull.record.statistics.late += 1
            pull.record.noteDiscarded(head)
            pull.note(.discardLate)
        }
        if let silentThrough, cursor.sequence > silentThrough { self.silentThrough = nil }
        if let eventsThrough, cursor.sequence > eventsThrough { self.eventsThrough = nil }
        let before = writer.pending
        guard let head = pull.packets.first else {
            conceal(piece - before, isEmpty: true, &pull)
            return writer.pending > before
        }
        if !writer.gap.isOpen, head.position <= cursor.position {
            play(head, skip: cursor.position - head.position, stretch: stretch(for: head, logic), &pull)
        } else {
            bridge(to: head, missing: piece - before, logic, &pull)
        }
        return true
    }

    private mutating func stretch(for head: StoredPacket, _ logic: borrowing DecisionLogic) -> Int {
        if writer.gap.needsMerge { return 0 }
        switch logic.stretch(for: head, endOfQueue: endOfQueue) {
        case .unknown: return 0
        case .none:
            writer.settleStretch()
            return 0
        case .by(let samples): return samples
        }
    }

    // MARK: Packets

    /// Decodes the first packet and sends it on, without `skip` samples of its start.
    /// - Returns: false when it did not decode.
    @discardableResult
    private mutating func play(_ head: StoredPacket, skip: Int64, stretch: Int, _ pull: inout Pull) -> Bool {
        let payload = pull.packets.payload(of: head)
        if head.kind == .comfortNoise {
            playNoise(head, payload, skip: skip, &pull)
            return true
        }
        let made = decoder.decode(payload, duration: head.duration)
        pull.packets.removeFirst()
        guard let made else {
            // A packet that does not decode is lost like any other.
            pull.record.statistics.malformed += 1
            return false
        }
        cursor.pass(head)
        cursor.isInSilence = head.isSilence
        pull.record.statistics.decoded += 1
        if head.kind == .redundant { pull.record.statistics.redundancyUsed += 1 }
        note(head.isSilence ? .comfortNoise : head.kind == .redundant ? .redundancy : .normal, &pull)
        deliver(made, skip: skip, stretch: stretch, &pull)
        return true
    }

    private mutating func playNoise(
        _ head: StoredPacket, _ payload: UnsafeRawBufferPointer, skip: Int64, _ pull: inout Pull
    ) {
        if let spectrum = NoiseSpectrum(payload: payload) { writer.adopt(spectrum) }
        pull.packets.removeFirst()
        let duration = cursor.duration
        cursor.pass(head)
        // How long a comfort-noise packet lasts is known from the audio before it alone.
        cursor.duration = duration
        cursor.isInSilence = true
        note(.comfortNoise, &pull)
        let made = min(Int(head.duration), decoder.decoded.count)
        writer.comfortNoise(made, into: decoder.decoded)
        deliver(made, skip: skip, stretch: 0, &pull)
    }

    /// Decodes the in-band FEC in the first packet: what lies before it, from `position` on.
    /// - Returns: false when it did not decode.
    private mutating func playFEC(in head: StoredPacket, from position: Int64, skip: Int64, _ pull: inout Pull) -> Bool {
        let length = Int(head.position - position)
        guard decoder.decodeFEC(pull.packets.payload(of: head), frames: length) else {
            // FEC that does not decode is none; the state was changed by the attempt at most as by concealment.
            pull.packets.dropFECOfFirst()
            return false
        }
        if skip >= length {
            // Late as a whole, but the packet it came in is not.
            return play(head, skip: skip - Int64(length), stretch: 0, &pull)
        }
        cursor.go(to: head)
        pull.record.statistics.fecUsed += 1
        note(.fec, &pull)
        deliver(length, skip: skip, stretch: 0, &pull)
        return true
    }

    private mutating func note(_ sound: PlayoutReason, _ pull: inout Pull) {
        overdue.notePlayed()
        writer.lastSound = sound
        pull.note(sound)
    }

    private mutating func deliver(_ made: Int, skip: Int64, stretch: Int, _ pull: inout Pull) {
        writer.deliver(
            decoder.decoded, count: made, skip: Int(max(0, skip)), stretch: stretch, isInSilence: cursor.isInSilence,
            &pull)
    }

    // MARK: Gaps

    /// The next packet lies ahead, or comes after sound was concealed in its place.
    private mutating func bridge(
        to head: StoredPacket, missing wanted: Int, _ logic: borrowing DecisionLogic, _ pull: inout Pull
    ) {
        let decision = logic.decide(head, cursor: cursor, gap: writer.gap, endOfQueue: endOfQueue)
        switch decision.step {
        case .conceal(let milliseconds):
            if decision.isPause { cursor.isInSilence = true }
            let samples = max(1, Int((milliseconds * Double(sampleRate) / 1000).rounded(.up)))
            if decision.mayRestart {
                conceal(min(samples, wanted), isEmpty: false, &pull)
            } else if !interpolate(to: head, from: decision.position, &pull) {
                conceal(samples, isEmpty: false, &pull)
            }
        case .discard:
            noteMissing(before: head, from: decision.position, &pull)
            discard(head, &pull)
            pull.note(.discardLate)
        case .resume(let milliseconds):
            let skip = Int64(milliseconds * Double(sampleRate) / 1000)
            noteMissing(before: head, from: decision.position, &pull)
            resume(at: head, from: decision.position, skip: skip, &pull)
        }
    }

    /// The numbers of the packets tell whether any are lost before `head`, or the sender sent none. Where it paused, and
    /// some of what followed are lost, only their own sound is missing.
    /// - Parameter position: first sample that is here.
    private mutating func noteMissing(before head: StoredPacket, from position: Int64, _ pull: inout Pull) {
        let lost = head.sequence &- cursor.sequence &- 1
        guard lost > 0, eventsThrough == nil else { return }
        let theirs = min(lost, Self.mostLost) * cursor.duration
        writer.noteMissing(min(position - cursor.position, theirs), pull.record)
    }

    private mutating func conceal(_ wanted: Int, isEmpty: Bool, _ pull: inout Pull) {
        let isUnsent = eventsThrough != nil || isEmpty && silentThrough != nil
        writer.conceal(
            wanted, by: decoder, isEmpty: isEmpty, isInSilence: cursor.isInSilence, isUnsent: isUnsent, &pull)
    }

    /// Returns false when a gap like this is concealed.
    private mutating func interpolate(to head: StoredPacket, from position: Int64, _ pull: inout Pull) -> Bool {
        guard head.kind != .comfortNoise, head.position == position, eventsThrough == nil else { return false }
        let missing = Int(clamping: position - mediaPosition)
        return writer.interpolate(missing, to: head, by: decoder, isInSilence: cursor.isInSilence, &pull)
    }

    /// Plays on from `position`, which the packet or the in-band FEC in it holds, without `skip` samples from there on.
    ///
    /// What was made so far stands for the media up to `mediaPosition`. `lag` is how far that lies beyond `position`: so
    /// much of what is played now was concealed already; negative: so much of a pause is passed over. By `lag - skip` the
    /// delay grows: the ledger has it, and `gap.shift` lets a good join take it back.
    ///
    /// Without a lag the concealment took just the missing media's place: the decoder goes on as it is, and its sound fits.
    /// With one, or where packets of the gap were decoded and given up (`hasDropped`), an open gap's decoder goes back to
    /// the state it had before the gap (`isRestored`; taken back where the packet does not decode). Then, and with any lag,
    /// the sound needs a merge.
    private mutating func resume(at head: StoredPacket, from position: Int64, skip: Int64, _ pull: inout Pull) {
        let lag = mediaPosition - position
        let isRestored = writer.gap.isOpen && (lag != 0 || writer.gap.hasDropped)
        // Delay that grew among stops is kept: the next one needs it.
        writer.gap.shift = head.isAmongStops ? 0 : max(0, lag - skip)
        if isRestored {
            writer.makeContinuation(by: decoder.codec)
            decoder.restoreState(missing: position - cursor.position)
            writer.gap.needsMerge = true
        }
        if lag != 0 { writer.gap.needsMerge = true }
        let hasPlayed =
            position < head.position
            ? playFEC(in: head, from: position, skip: skip, &pull)
            : play(head, skip: skip + position - head.position, stretch: 0, &pull)
        if hasPlayed {
            pull.record.ledger.shifted += lag - skip
        } else if isRestored {
            decoder.undoRestore()
        }
    }

    /// The packet comes too late as a whole: it is decoded to keep the decoder's state.
    ///
    /// The cursor passes it, and `gap.concealed` shrinks by as much, so that `mediaPosition` stays; where less was concealed,
    /// media are passed over, and the ledger has it. Within a gap (`hasDropped`) the kept state has now decoded what the
    /// concealing one has not: `resume` goes back to it. What follows needs a merge in any case.
    private mutating func discard(_ head: StoredPacket, _ pull: inout Pull) {
        let payload = head.kind == .comfortNoise ? nil : pull.packets.payload(of: head)
        decoder.skip(payload, missing: head.position - cursor.position, inGap: writer.gap.isOpen)
        pull.packets.removeFirst()
        overdue.noteLate(arrival: head.arrival)
        if head.kind != .redundant { pull.record.statistics.late += 1 }
        pull.record.noteDiscarded(head)
        // What was concealed in its place stays concealed: the gap is the shorter by it.
        let before = mediaPosition
        writer.gap.hasDropped = writer.gap.isOpen
        writer.gap.concealed = max(0, writer.gap.concealed - (head.end - cursor.position))
        writer.gap.emptied = min(writer.gap.emptied, writer.gap.concealed)
        cursor.pass(head)
        pull.record.ledger.shifted -= mediaPosition - before
        writer.gap.needsMerge = true
    }
}
