import Codecs
import DSP
import JitterBuffer
import LiveMedia
import Media
import Metrics
import RTP
import Realtime

/// Speech through a recorded network into the production receive path, in virtual time.
///
/// ```
/// speech -> Call (SendPath) == trace ==> Call (ReceivePath: RTPReceiver, JitterBuffer, Decoder) -> heard, in blocks of 10 ms
///                ^------------ RTCP -----------'
/// ```
/// Frame k leaves at 20k ms and its packet arrives as late as line k of the trace says; the player asks for its first block
/// when the first packet arrives. RTCP goes both ways over the trace's least delay and is never lost: the sender hears of
/// loss no sooner than it would in a call.
public final class TraceReplay {
    /// What the player asks for at once, in milliseconds.
    static let blockMilliseconds = 10

    /// What was heard, at the rate of the speech, from the first packet's arrival on.
    public private(set) var heard: [Float] = []
    /// One row for each block that was pulled.
    public private(set) var rows: [ReplayRow] = []

    private let speech: [Float]
    private let configuration: CallConfiguration
    private let sender: Call
    private let receiver: Call
    private let wire: TraceWire
    private let frameMilliseconds: Double
    /// The first player turn: when the first packet arrives.
    private var start = HostTime.zero
    private var block: [Float]

    /// - Parameters:
    ///   - speech: what is said, at `configuration.sampleRate` or the codec's own rate.
    ///   - trace: delays of its packets; begins anew when it is shorter than the speech.
    ///   - configuration: of both ends.
    public init(speech: [Float], trace: NetworkTrace, configuration: CallConfiguration) throws(CallError) {
        var configuration = configuration
        configuration.policy.mediaTimeoutMilliseconds = .greatestFiniteMagnitude
        self.configuration = configuration
        self.speech = speech
        wire = TraceWire(trace: trace)
        do { sender = try Call(configuration: configuration, link: wire.outbound, now: .zero) } catch { throw .codec(error) }
        // Its own identity: an endpoint takes packets of its own source for a loop.
        configuration.seed = ~configuration.seed
        do { receiver = try Call(configuration: configuration, link: wire.backward, now: .zero) } catch { throw .codec(error) }
        frameMilliseconds = Double(configuration.encoder.frameMilliseconds)
        block = [Float](repeating: 0, count: receiver.sampleRate * Self.blockMilliseconds / 1000)
    }

    /// Runs it all: each frame is sent, and the player goes on for a second longer than the speech.
    public func run() {
        let frames = speech.count / sender.frameLength
        let step = HostTime(milliseconds: Double(Self.blockMilliseconds))
        let end = HostTime(milliseconds: Double(frames) * frameMilliseconds + 1000)
        start = HostTime(milliseconds: wire.firstArrival(frameMilliseconds: frameMilliseconds))
        var frame = 0
        var nextFrame = HostTime.zero
        var nextPull = start
        // Steps on a grid of their own for the timers of RTCP, so that nothing hangs on frames or pulls.
        var nextStep = HostTime.zero
        while nextPull <= end.advanced(byMilliseconds: start.milliseconds(since: .zero)) {
            let now = min(frame < frames ? nextFrame : nextPull, nextPull, nextStep)
            wire.deliver(until: now, to: receiver, and: sender)
            if now == nextFrame, frame < frames {
                send(frame, now: now)
                frame += 1
                nextFrame = HostTime(milliseconds: Double(frame) * frameMilliseconds)
                wire.deliver(until: now, to: receiver, and: sender)
            }
            if now == nextStep {
                // The wall clock of RTCP: any origin will do.
                let ntp = NTPTime(unixNanoseconds: now.nanoseconds)
                wire.now = now
                sender.advance(to: now, ntp: ntp)
                receiver.advance(to: now, ntp: ntp)
                nextStep = HostTime(nanoseconds: nextStep.nanoseconds + step.nanoseconds)
            }
            if now == nextPull {
                // All was said: what does not come any more is not missing.
                if frame == frames, !wire.carriesMedia { receiver.stream.expectsMedia = false }
                pull(now: now)
                nextPull = HostTime(nanoseconds: nextPull.nanoseconds + step.nanoseconds)
            }
        }
        _ = sender.takeEvents()
        _ = receiver.takeEvents()
    }

    private func send(_ frame: Int, now: HostTime) {
        let length = sender.frameLength
        wire.now = now
        wire.packetIndex = frame
        speech.withUnsafeBufferPointer {
            _ = sender.send(UnsafeBufferPointer(rebasing: $0[frame * length..<(frame + 1) * length]), now: now)
        }
    }

    private func pull(now: HostTime) {
        let outcome = block.withUnsafeMutableBufferPointer { receiver.pull(into: $0, now: now) }
        heard += block
        let time = now.milliseconds(since: .zero)
        // The first packet stands at media time 0 unless it was lost: the trace tells where it belongs.
        let position = outcome?.mediaMilliseconds.map { $0 + wire.firstMediaTime(frameMilliseconds: frameMilliseconds) }
        rows.append(
            ReplayRow(
                milliseconds: time, reason: outcome?.reason ?? .waiting, targetMs: outcome?.targetMs ?? 0,
                levelMs: outcome?.levelMs ?? 0,
                delayMs: position.map { time + Double(Self.blockMilliseconds) - $0 },
                mediaMilliseconds: position))
    }

    /// When each packet was sent and came.
    public var arrivals: [ReplayArrival] {
        (0..<wire.packets).map { index in
            let sent = Double(index) * frameMilliseconds
            return ReplayArrival(sentMilliseconds: sent, arrivalMilliseconds: wire.delay(of: index).map { sent + $0 })
        }
    }

    /// What the replay found.
    public var figures: ReplayFigures {
        ReplayFigures(
            rows: rows, spokenMilliseconds: Double(speech.count / sender.frameLength) * frameMilliseconds,
            sent: wire.packets, sentBytes: wire.payloadBytes, lost: wire.lost,
            reordered: receiver.statistics.packetsReordered ?? 0, buffer: receiver.jitterBufferStatistics)
    }
}

extension CallConfiguration {
    /// How both ends of a replay treat loss.
    /// - Parameters:
    ///   - isProtected: false sends no in-band FEC and no copies, at the configured rate, whatever is lost.
    ///   - copies: whether both ends agreed to redundant audio (RFC 2198).
    public mutating func protect(_ isProtected: Bool, copies: Bool, reportIntervalSeconds: Double) {
        stream.encoder.inbandFEC = isProtected
        // Nominal: speech takes a tenth less, so that a voice with its copies stays under 52 kbit/s.
        if stream.codec.bitrate == .adjustable {
            stream.maximumBitrate = isProtected ? max(60_500, stream.encoder.bitrate) : stream.encoder.bitrate
        }
        stream.redundancyPayloadType = isProtected && copies ? Codec.redundancyPayloadType : nil
        stream.reportIntervalSeconds = reportIntervalSeconds
    }
}
