import CSpeexDSP

/// Changes the sampling rate by a fixed ratio: SpeexDSP's resampler, mono Float.
///
/// Only for ratios that never move; `DriftResampler` follows moving ones.
public final class Resampler: Sendable {
    /// Input rate in Hz.
    public let inputRate: Int
    /// Output rate in Hz.
    public let outputRate: Int
    /// The value that render threads work with; valid as long as this object lives.
    public let handle: ResamplerHandle

    /// - Parameters:
    ///   - from: input rate, 4 000...384 000 Hz.
    ///   - to: output rate, likewise.
    ///   - quality: SpeexDSP's, 0 (cheapest) ... 10 (best); 5 keeps aliases 100 dB down, at a
    ///     delay of 2.5 ms between 16 and 48 kHz; 3 keeps them 90 dB down at 1.5 ms.
    public init(from: Int, to: Int, quality: Int = 5) throws(DSPError) {
        let rates = 4_000...384_000
        guard rates.contains(from), rates.contains(to) else { throw .unsupportedRates(from: from, to: to) }
        guard 0...10 ~= quality else { throw .outOfRange(parameter: "quality", allowed: "0...10") }
        var failure: Int32 = 0
        guard let state = speex_resampler_init(1, UInt32(from), UInt32(to), Int32(quality), &failure), failure == 0
        else { throw .noMemory }
        inputRate = from
        outputRate = to
        handle = ResamplerHandle(state: state)
    }

    deinit { speex_resampler_destroy(handle.state) }

    /// Delay of the filter in output samples.
    public var latencySamples: Int { Int(speex_resampler_get_output_latency(handle.state)) }

    /// Output samples that `count` input samples can make at most.
    public func outputCapacity(for count: Int) -> Int { count * outputRate / inputRate + 2 }

    /// Converts as much as goes in and out.
    @_noLocks
    public func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        handle.process(input, count: count, into: output, capacity: capacity)
    }

    /// Forgets the audio inside.
    public func reset() { speex_resampler_reset_mem(handle.state) }
}

/// A `Resampler` as render threads see it: a pointer, without reference counting.
///
/// Sendable: SpeexDSP keeps nothing outside the state, and whoever holds it processes on one thread at a time.
@frozen
public struct ResamplerHandle: BitwiseCopyable, @unchecked Sendable {
    let state: OpaquePointer

    @_noLocks
    init(state: OpaquePointer) { self.state = state }

    /// Converts as much as goes in and out.
    @_noLocks
    public func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        var consumed = UInt32(truncatingIfNeeded: count)
        var produced = UInt32(truncatingIfNeeded: capacity)
        cspeex_resampler_process(state, input, &consumed, output, &produced)
        return (Int(consumed), Int(produced))
    }
}
