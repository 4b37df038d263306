import DSP
import JitterBuffer
import Realtime

/// A call's place in a loop: converts between the device's rate and frames and the call's own.
///
/// ```
/// device frame -> Resampler -> waiting samples, cut into the call's frames -> call.send
/// call.pull, in blocks of the call's rate -> Resampler -> converted samples -> device block
/// ```
/// Where both have one rate there is no resampler, and where both have one frame length nothing waits: a single call passes as
/// if the seat were not there. The call may change its rate or frame length between two steps; the seat follows.
final class LoopSeat {
    let call: Call
    private let deviceRate: Int
    /// Samples of a frame of the loop, at the device's rate.
    private let frameLength: Int
    private var toCall: FixedRatio?
    private var fromCall: FixedRatio?
    private var callRate = 0
    private var callFrameLength = 0
    /// What waits to become a frame of the call, at its rate.
    private var waiting: [Float] = []
    /// What was pulled and converted, and not yet asked for, at the device's rate.
    private var converted: [Float] = []
    private var pulled: [Float] = []

    /// - `deviceRate`: of the loop's device, Hz.
    /// - `frameLength`: samples of the loop's frames at that rate.
    init(_ call: Call, deviceRate: Int, frameLength: Int) throws(MediaLoopError) {
        self.call = call
        self.deviceRate = deviceRate
        self.frameLength = frameLength
        try prepare()
    }

    private var passesFrames: Bool { toCall == nil && callFrameLength == frameLength }

    /// Makes what converts, when the call's rate or frame length are not what they were.
    func prepare() throws(MediaLoopError) {
        guard callRate != call.sampleRate || callFrameLength != call.frameLength else { return }
        if callRate != call.sampleRate {
            toCall = try FixedRatio(from: deviceRate, to: call.sampleRate)
            fromCall = try FixedRatio(from: call.sampleRate, to: deviceRate)
            callRate = call.sampleRate
            waiting.removeAll(keepingCapacity: true)
            converted.removeAll(keepingCapacity: true)
            pulled = [Float](repeating: 0, count: callRate * MediaLimits.pullMilliseconds / 1000)
        }
        callFrameLength = call.frameLength
    }

    /// Takes a frame of the loop, and sends the frames of the call that have become whole.
    /// - Returns: what stood for our voice, at the device's rate, where the seat converts nothing; `nil` elsewhere.
    @discardableResult
    func send(_ frame: UnsafeBufferPointer<Float>, now: HostTime) -> [Float]? {
        if passesFrames { return call.send(frame, now: now) }
        if let toCall { toCall.process(frame, into: &waiting) } else { waiting.append(contentsOf: frame) }
        var sent = 0
        while waiting.count - sent >= callFrameLength {
            waiting.withUnsafeBufferPointer {
                _ = call.send(UnsafeBufferPointer(rebasing: $0[sent..<(sent + callFrameLength)]), now: now)
            }
            sent += callFrameLength
        }
        waiting.removeFirst(sent)
        return nil
    }

    /// Produces the next samples of the other side's voice, at the device's rate.
    func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        guard let fromCall else { return call.pull(into: block, now: now) }
        var outcome: PullOutcome?
        while converted.count < block.count {
            let part = pulled.withUnsafeMutableBufferPointer { call.pull(into: $0, now: now) }
            outcome = part ?? outcome
            pulled.withUnsafeBufferPointer { fromCall.process($0, into: &converted) }
        }
        for i in block.indices { block[i] = converted[i] }
        converted.removeFirst(block.count)
        return outcome
    }

    /// What the seat adds to the device's delay, for the call's ledger.
    var delay: SeatDelay {
        let wait = passesFrames ? 0 : Double(callFrameLength) / Double(callRate) - Double(frameLength) / Double(deviceRate)
        return SeatDelay(
            framer: max(0, wait * 1000), sendConversion: toCall?.delayMilliseconds ?? 0,
            receiveConversion: fromCall?.delayMilliseconds ?? 0)
    }
}

/// What conversion between device and call costs, in milliseconds.
struct SeatDelay: Equatable {
    /// By which the call's frames are longer than the loop's.
    var framer = 0.0
    /// Of the filter towards the call.
    var sendConversion = 0.0
    /// Of the filter towards the device.
    var receiveConversion = 0.0
}

/// Why a loop cannot take a call.
public enum MediaLoopError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call's rate cannot be converted to or from the device's; choose a codec or device of another rate.
    case unsupportedRates(device: Int, call: Int)
    /// The headset has a direction for so many parties and no more; play one channel, or call fewer.
    case full(parties: Int)

    public var description: String {
        switch self {
        case .unsupportedRates(let device, let call):
            "a call at \(call) Hz cannot be converted to a device at \(device) Hz; choose another --rate or --codec"
        case .full(let parties): "a headset has directions for \(parties) parties; call fewer"
        }
    }
}

/// A resampler of a fixed ratio that appends what it makes.
private final class FixedRatio {
    private let resampler: Resampler
    private var output: [Float] = []
    let delayMilliseconds: Double

    /// `nil` where nothing is to be converted.
    init?(from: Int, to: Int) throws(MediaLoopError) {
        guard from != to else { return nil }
        do { resampler = try Resampler(from: from, to: to) } catch {
            throw .unsupportedRates(device: from, call: to)
        }
        delayMilliseconds = Double(resampler.latencySamples) * 1000 / Double(to)
    }

    func process(_ input: UnsafeBufferPointer<Float>, into samples: inout [Float]) {
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
