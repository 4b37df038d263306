import DSP

/// Turns frames of a device into a call's own: another rate, another length, or both.
///
/// ```
/// device frame -> FixedRatio -> waiting samples, cut into the call's frames
/// ```
/// Where both rates agree there is no resampler, and where both lengths agree nothing waits. The call's rate and frame length may
/// change between two frames: what waits goes on in the new ones, so that less than a frame of the device is ever lost.
package struct FrameConverter {
    private let deviceRate: Int
    /// Samples of a frame that comes, at the device's rate.
    private let frameLength: Int
    private var ratio: FixedRatio?
    private var callRate: Int
    private var callFrameLength: Int
    /// What waits to become a frame of the call, at its rate.
    private var waiting: [Float] = []

    /// - Parameters:
    ///   - deviceRate: of the frames that come, Hz.
    ///   - frameLength: their samples.
    ///   - callRate: of the frames that go, Hz.
    ///   - callFrameLength: their samples.
    package init(deviceRate: Int, frameLength: Int, callRate: Int, callFrameLength: Int) throws(MediaLoopError) {
        precondition(frameLength > 0 && callFrameLength > 0, "frames of \(frameLength) and \(callFrameLength) samples")
        self.deviceRate = deviceRate
        self.frameLength = frameLength
        self.callRate = callRate
        self.callFrameLength = callFrameLength
        ratio = try FixedRatio(device: deviceRate, toCall: callRate)
    }

    /// Goes on with frames of another rate and length. What cannot be converted leaves everything as it was.
    package mutating func change(callRate rate: Int, callFrameLength length: Int) throws(MediaLoopError) {
        precondition(length > 0, "a frame of \(length) samples")
        if rate != callRate {
            let next = try FixedRatio(device: deviceRate, toCall: rate)
            waiting = (try? Resampler.whole(waiting, from: callRate, to: rate)) ?? []
            ratio = next
            callRate = rate
        }
        callFrameLength = length
    }

    /// Whether frames pass as they come.
    package var passes: Bool { isEqual && waiting.isEmpty }

    private var isEqual: Bool { ratio == nil && callFrameLength == frameLength }

    /// Takes a frame of the device, and hands on the call's frames that have become whole.
    package mutating func process(_ frame: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void) {
        if passes { return body(frame) }
        if let ratio { ratio.process(frame, into: &waiting) } else { waiting.append(contentsOf: frame) }
        var taken = 0
        while waiting.count - taken >= callFrameLength {
            waiting.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[taken..<(taken + callFrameLength)])) }
            taken += callFrameLength
        }
        waiting.removeFirst(taken)
        // A rest of what was converted before would make every later frame wait.
        if isEqual { waiting.removeAll(keepingCapacity: true) }
    }

    /// What the filter adds, in milliseconds.
    package var conversionMilliseconds: Double { ratio?.delayMilliseconds ?? 0 }

    /// By how much the call's frames are longer, in milliseconds.
    package var framerMilliseconds: Double {
        isEqual
            ? 0 : max(0, Double(callFrameLength) * 1000 / Double(callRate) - Double(frameLength) * 1000 / Double(deviceRate))
    }
}
