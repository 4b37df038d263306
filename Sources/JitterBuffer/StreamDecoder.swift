import Codecs

/// The codec of one stream, with the memory it decodes into, and its state over a gap.
///
/// Concealment changes a decoder's state. The state before a gap is kept beside it (`AudioDecoder.keepState`), so that
/// packets that come too late, and the packet after the gap, are decoded as if what was missing had been concealed alone.
package struct StreamDecoder: ~Copyable {
    package let codec: any AudioDecoder
    /// Decoded sound on its way into the queue.
    package let decoded: Scratch
    /// Sound that nobody hears: decoded to know it, or to keep the decoder's state.
    package let scrap: Scratch
    /// Samples worked on at once.
    private let frame: Int
    /// Longest stretch that the kept state conceals to catch up, in samples.
    private let longestCatchUp: Int

    package init(codec: any AudioDecoder, frame: Int, tuning: ConcealmentTuning = ConcealmentTuning()) {
        self.codec = codec
        self.frame = frame
        longestCatchUp = codec.sampleRate * tuning.longestCatchUp / 1000
        decoded = Scratch(count: codec.maximumFrames)
        scrap = Scratch(count: codec.maximumFrames)
    }

    /// Decodes a packet into `decoded`.
    /// - Returns: samples; nil when it does not decode to `duration` samples.
    package func decode(_ payload: UnsafeRawBufferPointer, duration: Int64) -> Int? {
        guard let made = try? codec.decode(payload, into: decoded.buffer), made == duration else { return nil }
        return made
    }

    /// Decodes the in-band FEC in a packet into `decoded`: the `frames` samples before the packet.
    /// - Returns: whether there were so many.
    package func decodeFEC(_ payload: UnsafeRawBufferPointer, frames: Int) -> Bool {
        guard let made = try? codec.decodeFEC(payload, frames: frames, into: decoded.buffer) else { return false }
        return made == frames
    }

    /// Decodes a packet into `scrap` without a trace in the decoder: it is decoded again when it is played.
    /// - Returns: samples; nil when it does not decode.
    package func lookAhead(_ payload: UnsafeRawBufferPointer) -> Int? {
        codec.keepState()
        defer { codec.exchangeState() }
        return try? codec.decode(payload, into: scrap.buffer)
    }

    /// Decodes a packet that comes too late, into the kept state if there is one.
    /// - Parameters:
    ///   - payload: nil when the packet holds no audio.
    ///   - missing: samples before it that never came.
    ///   - inGap: whether a gap is open, and so a state kept.
    package func skip(_ payload: UnsafeRawBufferPointer?, missing: Int64, inGap: Bool) {
        if inGap { codec.exchangeState() }
        if missing > 0 { conceal(missing) }
        if let payload { _ = try? codec.decode(payload, into: scrap.buffer) }
        if inGap { codec.exchangeState() }
    }

    /// Goes back to the kept state, as if the `missing` samples had been concealed alone.
    package func restoreState(missing: Int64) {
        codec.exchangeState()
        conceal(missing)
    }

    /// Takes `restoreState` back.
    package func undoRestore() { codec.exchangeState() }

    private func conceal(_ missing: Int64) {
        var missing = min(Int(clamping: missing), longestCatchUp)
        while missing > 0 {
            let step = min(missing, frame, scrap.count)
            let buffer = UnsafeMutableBufferPointer(start: scrap.base, count: step)
            guard codec.conceal(frames: step, into: buffer) else { return }
            missing -= step
        }
    }
}
