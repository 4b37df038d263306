import RTP
import Realtime
import JitterBuffer

/// Steps any number of calls against one audio endpoint: the media thread's whole work, without the thread.
///
/// ```
///  captureRing -> Framer -> every call's SendPath -> network
///  network -> every call's ReceivePath -> Mixer (sum, limited) -> playoutRing
/// ```
/// Driven by the data, never by a timer: a step takes as many whole frames as were captured and fills the play-out ring
/// as far as the playback thread emptied it. All calls of one loop share its sampling rate and frame length.
public final class MediaLoop {
    /// The hardware's side.
    public let endpoint: AudioEndpoint
    /// The calls, in the order they joined.
    public private(set) var calls: [Call] = []
    /// Stages between device and call, which all calls share.
    private var deviceDelay = DeviceDelay()
    /// Where what is sent and heard is copied to; `nil` when nothing is recorded.
    public var recorder: Recorder?
    /// Where packets and pulls are noted; `nil` when nothing is captured.
    public var capture: CallCapture?
    /// Where the jitter buffer's decisions are logged; `nil` when nothing is dumped.
    public var dump: SignalDump?
    /// Times the loudspeaker got silence because the play-out ring was empty, since the first sound.
    public private(set) var playoutGaps = 0

    private var framer: Framer
    private var level: PlayoutLevel
    private var samplesTaken: Int64 = 0
    private var samplesGiven: Int64 = 0
    private var lastStep: HostTime?
    private var callBlock: [Float]
    private var mixed: [Float]

    /// A loop over `endpoint`; the endpoint's frame length is `frameLength` samples.
    public init(endpoint: AudioEndpoint, frameLength: Int) {
        self.endpoint = endpoint
        framer = Framer(frameLength: frameLength)
        level = PlayoutLevel(sampleRate: endpoint.sampleRate)
        let block = endpoint.sampleRate * MediaLimits.pullMilliseconds / 1000
        callBlock = [Float](repeating: 0, count: block)
        mixed = [Float](repeating: 0, count: block)
    }

    /// Adds a call; its codec must work at the endpoint's rate.
    public func add(_ call: Call) {
        precondition(call.sampleRate == endpoint.sampleRate, "call at \(call.sampleRate) Hz on \(endpoint.sampleRate) Hz")
        calls.append(call)
    }

    /// One turn: sends what was captured, plays what was asked for, lets RTCP and time-outs happen.
    public func step(now: HostTime, ntp: NTPTime) {
        sendCaptured(now: now)
        fillPlayout(now: now)
        for call in calls {
            call.deviceDelay = deviceDelay
            call.advance(to: now, ntp: ntp)
        }
        lastStep = now
    }

    /// When the next step is due even if no audio and no packet comes.
    public var nextDeadline: HostTime? { calls.map(\.nextDeadline).min() }

    // MARK: - Towards the network

    private func sendCaptured(now: HostTime) {
        let timing = endpoint.captureTiming.latest()
        framer.process(&endpoint.captureRing) { frame in
            if timing.isValid { observeCapture(timing, frameLength: frame.count, now: now) }
            samplesTaken += Int64(frame.count)
            for (index, call) in calls.enumerated() {
                let sent = call.send(frame, now: now)
                // One voice, whoever hears it: what the first call sends is what is kept.
                guard index == 0 else { continue }
                recorder?.add(sent: sent)
                dump?.add(sent: sent)
            }
        }
    }

    private func observeCapture(_ timing: StreamTiming, frameLength: Int, now: HostTime) {
        let firstSample = timing.hostTime(of: samplesTaken, sampleRate: endpoint.sampleRate)
        let millisecondsPerSample = 1000 / Double(endpoint.sampleRate)
        deviceDelay.observeCapture(
            ageMilliseconds: now.milliseconds(since: firstSample),
            frameMilliseconds: Double(frameLength) * millisecondsPerSample,
            blockMilliseconds: Double(timing.frames) * millisecondsPerSample, unit: endpoint.unit.latency)
    }

    // MARK: - Towards the loudspeaker

    private func fillPlayout(now: HostTime) {
        let timing = endpoint.playoutTiming.latest()
        if timing.stream.isValid {
            let missing = level.observe(
                frames: timing.stream.frames, missing: timing.missing,
                elapsedMilliseconds: lastStep.map { now.milliseconds(since: $0) } ?? 0)
            if missing > 0 { playoutGaps += 1 }
        }
        while endpoint.playoutRing.filled() < level.target {
            pullBlock(now: now)
            if timing.stream.isValid { observePlayout(timing.stream, now: now) }
            let count = mixed.count
            let written = mixed.withUnsafeBufferPointer { endpoint.playoutRing.write($0.baseAddress!, count: count) }
            samplesGiven += Int64(written)
            guard written == count else { return }
        }
    }

    private func pullBlock(now: HostTime) {
        for i in mixed.indices { mixed[i] = 0 }
        capture?.add(pull: now, samples: mixed.count)
        for call in calls {
            let outcome = callBlock.withUnsafeMutableBufferPointer { call.pull(into: $0, now: now) }
            callBlock.withUnsafeBufferPointer { Mixer.add($0, to: &mixed) }
            if let outcome { dump?.add(outcome, at: now) }
        }
        if calls.count > 1 { Mixer.limit(&mixed) }
        recorder?.add(heard: mixed)
        dump?.add(heard: mixed)
    }

    private func observePlayout(_ timing: StreamTiming, now: HostTime) {
        let heard = timing.hostTime(of: samplesGiven, sampleRate: endpoint.sampleRate)
        deviceDelay.observePlayout(waitMilliseconds: heard.milliseconds(since: now), unit: endpoint.unit.latency)
    }
}
