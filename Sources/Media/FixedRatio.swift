import DSP

/// A resampler of a fixed ratio that appends what it makes.
package final class FixedRatio {
    private let resampler: Resampler
    private var output: [Float] = []
    /// Delay of the filter.
    let delayMilliseconds: Double
    /// The same in samples that come out.
    let delaySamples: Int

    /// From a device's rate to a call's; `nil` where nothing is to be converted.
    convenience init?(device: Int, toCall rate: Int) throws(MediaLoopError) {
        do { try self.init(from: device, to: rate) } catch { throw .unsupportedRates(device: device, call: rate) }
    }

    /// From a call's rate to a device's; `nil` where nothing is to be converted.
    convenience init?(call rate: Int, toDevice device: Int) throws(MediaLoopError) {
        do { try self.init(from: rate, to: device) } catch { throw .unsupportedRates(device: device, call: rate) }
    }

    /// From one rate to another; `nil` where nothing is to be converted.
    package init?(from: Int, to: Int) throws(DSPError) {
        guard from != to else { return nil }
        resampler = try Resampler(from: from, to: to)
        delaySamples = resampler.latencySamples
        delayMilliseconds = Double(delaySamples) * 1000 / Double(to)
    }

    /// Converts `input` and puts what comes of it behind `samples`.
    package func process(_ input: UnsafeBufferPointer<Float>, into samples: inout [Float]) {
        guard let base = input.baseAddress else { return }
        let capacity = resampler.outputCapacity(for: input.count)
        if output.count < capacity { output = [Float](repeating: 0, count: capacity) }
        var taken = 0
        while taken < input.count {
            let (consumed, produced) = output.withUnsafeMutableBufferPointer {
                resampler.process(base + taken, count: input.count - taken, into: $0.baseAddress!, capacity: capacity)
            }
            samples.append(contentsOf: output[..<produced])
            taken += consumed
            // Neither taken nor given: nothing more will come of it.
            if consumed == 0, produced == 0 { return }
        }
    }
}
