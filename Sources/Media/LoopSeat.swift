import JitterBuffer
import Realtime

/// A call's place in a loop: converts between the device's rate and frames and the call's own.
///
/// ```
/// device frame -> FrameConverter -> call.send
/// call.pull, in blocks of the call's rate -> FixedRatio -> converted samples -> device block
/// ```
/// Where both have one rate there is no resampler, and where both have one frame length nothing waits: a single call passes as
/// if the seat were not there. The call may change its rate or frame length between two steps; the seat follows.
final class LoopSeat {
    let call: Call
    private let deviceRate: Int
    private var toCall: FrameConverter
    private var fromCall: FixedRatio?
    private var callRate: Int
    private var callFrameLength: Int
    /// What was pulled and converted, and not yet asked for, at the device's rate.
    private var converted: [Float] = []
    private var pulled: [Float] = []

    /// - Parameters:
    ///   - deviceRate: of the loop's device, Hz.
    ///   - frameLength: samples of the loop's frames at that rate.
    init(_ call: Call, deviceRate: Int, frameLength: Int) throws(MediaLoopError) {
        self.call = call
        self.deviceRate = deviceRate
        callRate = call.sampleRate
        callFrameLength = call.frameLength
        toCall = try FrameConverter(
            deviceRate: deviceRate, frameLength: frameLength, callRate: callRate, callFrameLength: callFrameLength)
        fromCall = try FixedRatio(call: callRate, toDevice: deviceRate)
        pulled = [Float](repeating: 0, count: Self.pullLength(at: callRate))
    }

    private static func pullLength(at rate: Int) -> Int { rate * MediaLimits.pullMilliseconds / 1000 }

    /// Whether the call still has the rate and frame length that the seat converts for.
    private var fits: Bool { callRate == call.sampleRate && callFrameLength == call.frameLength }

    /// Follows the call to another rate or frame length. Where that cannot be converted the call is silent both ways.
    func prepare() throws(MediaLoopError) {
        guard !fits else { return }
        let (rate, length) = (call.sampleRate, call.frameLength)
        let back = rate == callRate ? fromCall : try FixedRatio(call: rate, toDevice: deviceRate)
        try toCall.change(callRate: rate, callFrameLength: length)
        fromCall = back
        if back == nil { converted.removeAll() }
        if rate != callRate { pulled = [Float](repeating: 0, count: Self.pullLength(at: rate)) }
        (callRate, callFrameLength) = (rate, length)
    }

    /// Takes a frame of the loop, and sends the frames of the call that have become whole.
    /// - Returns: what stood for our voice, at the device's rate, where the seat converts nothing; `nil` elsewhere.
    @discardableResult
    func send(_ frame: UnsafeBufferPointer<Float>, now: HostTime) -> [Float]? {
        guard fits else { return nil }
        if toCall.passes { return call.send(frame, now: now) }
        toCall.process(frame) { _ = call.send($0, now: now) }
        return nil
    }

    /// Produces the next samples of the other side's voice, at the device's rate.
    func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        guard fits else {
            block.update(repeating: 0)
            return nil
        }
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

    /// From the other side's mouth, as far as it is known, until a bridge has the voice; `nil` while the network is not.
    var delayBeforeBridge: Double? { call.stream.delayBeforeBridge.map { $0 + delay.receiveConversion } }
    /// From a bridge until the other side's socket; `nil` while the network is not known.
    var delayBehindBridge: Double? {
        call.stream.delayBehindBridge.map { $0 + delay.framer + delay.sendConversion }
    }

    /// What the seat adds to the device's delay, for the call's ledger.
    var delay: SeatDelay {
        SeatDelay(
            framer: toCall.framerMilliseconds, sendConversion: toCall.conversionMilliseconds,
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
    /// The session has ended, or takes nobody while it runs; begin another one.
    case over

    public var description: String {
        switch self {
        case .unsupportedRates(let device, let call):
            "a call at \(call) Hz cannot be converted to a device at \(device) Hz; choose another --rate or --codec"
        case .full(let parties): "a headset has directions for \(parties) parties; call fewer"
        case .over: "the session takes no more parties; begin another one"
        }
    }
}
