import Codecs

/// The memory of a buffer whose size depends on the codec: taken once, so that playing allocates nothing.
struct Workspace {
    /// Longest frame worked on at once, in milliseconds: pauses are judged and sound is stretched by it.
    static let frameMilliseconds = 20

    let packets: PacketBuffer
    let queue: PlayoutQueue
    let pitch: PitchSearch
    let concealment: Concealment
    let interpolation: Interpolation
    /// A decoded packet.
    let decoded: Scratch
    /// A frame with its past before it, for joins that look back.
    let joined: Scratch
    /// The result of a join.
    let output: Scratch
    /// What a concealment would have gone on with.
    let continuation: Scratch
    /// Sound that nobody hears: decoded to know it, or for the decoder's sake.
    let scrap: Scratch

    /// Samples of a frame, and of the past kept before it.
    let frame: Int

    init(decoder: any AudioDecoder) {
        let rate = max(decoder.sampleRate, 1000)
        frame = rate * Self.frameMilliseconds / 1000
        // A payload of 16-bit samples is the longest there is; 8 KiB covers 120 ms of Opus at its highest rate.
        packets = PacketBuffer(slotBytes: max(8192, 2 * decoder.maximumFrames))
        queue = PlayoutQueue(
            historyLength: Concealment.historyLength(sampleRate: rate), room: decoder.maximumFrames + 8 * frame)
        pitch = PitchSearch(sampleRate: rate)
        concealment = Concealment(sampleRate: rate)
        interpolation = Interpolation(sampleRate: rate, longest: frame)
        decoded = Scratch(count: decoder.maximumFrames)
        joined = Scratch(count: 2 * frame)
        output = Scratch(count: 2 * frame)
        continuation = Scratch(count: rate * Merge.milliseconds / 1000)
        scrap = Scratch(count: decoder.maximumFrames)
    }
}

/// A piece of memory with an owner.
final class Scratch {
    let base: UnsafeMutablePointer<Float>
    let count: Int

    init(count: Int) {
        self.count = max(count, 1)
        base = .allocate(capacity: self.count)
        base.initialize(repeating: 0, count: self.count)
    }

    deinit { base.deallocate() }

    var buffer: UnsafeMutableBufferPointer<Float> { UnsafeMutableBufferPointer(start: base, count: count) }
}
