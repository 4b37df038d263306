import Codecs
import JitterBuffer
import Link
import Metrics
import RTP
import Realtime

/// One call: what begins it, which way its media go, and what ends it. Sans-I/O, and confined to the thread that steps it.
///
/// The media themselves are its `MediaStream`. What the stream tells, what a person asks and what signalling says become
/// states and events here.
public final class Call {
    /// What the call was made of.
    public let configuration: CallConfiguration
    /// The call's media.
    public let stream: MediaStream

    // Confined to one thread; see SendPath.
    @exclusivity(unchecked) private var stateMachine: CallStateMachine
    @exclusivity(unchecked) private var events: [CallEvent] = []
    private var echoed: [Float] = []
    @exclusivity(unchecked) private var goodbye = Goodbye()
    /// Where both sides are copied to; `nil`: nobody listens beside the call.
    @exclusivity(unchecked) private var tap: CallTap?
    /// Digits that wait for the call to begin.
    private var firstDigits: String

    /// Starts a call at `now`; RTCP begins by its timer, RTP with the first frame or, where it is signalled, with the answer.
    public init(configuration: CallConfiguration, link: any PacketLink, now: HostTime) throws(CodecError) {
        self.configuration = configuration
        stream = try MediaStream(configuration: configuration.stream, link: link, now: now)
        stateMachine = CallStateMachine(now: now, policy: configuration.policy)
        firstDigits = configuration.digits
        stream.direction = stateMachine.direction
        stream.expectsMedia = stateMachine.expectsMedia
    }

    /// Where the call stands.
    public var state: CallState { stateMachine.state }
    /// Which way media go, seen from this side.
    public var direction: MediaDirection { stateMachine.direction }
    /// Samples in one frame of this call.
    public var frameLength: Int { stream.frameLength }
    /// The rate of the audio that goes in and out, in Hz.
    public var sampleRate: Int { stream.sampleRate }
    /// Everything this side knows of the call, in the terms of docs/commands.md. Unknown stays `nil`.
    public var statistics: CallStatistics { stream.statistics(isOver: state.isEnded) }

    /// When the first sample that was sent had been at the microphone; `nil`: none was, or the device says no times.
    public private(set) var voiceStart: HostTime?

    /// The next frame's first sample was at the microphone then.
    package func noteCapture(of firstSample: HostTime) {
        if voiceStart == nil, direction.sends, !state.isEnded { voiceStart = firstSample }
    }

    /// Stages between device and codec, as the loop that steps the call measures them.
    package var deviceDelay: DeviceDelay {
        get { stream.deviceDelay }
        set { stream.deviceDelay = newValue }
    }

    /// What the jitter buffer counted.
    package var jitterBufferStatistics: JitterBufferStatistics { stream.jitterBufferStatistics }

    /// What happened since the owner last asked.
    public func takeEvents() -> [CallEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    // MARK: - Media

    /// Takes one frame of the microphone's audio.
    /// - Returns: what stood for our voice after announcement, echo and mute.
    package func send(_ frame: UnsafeBufferPointer<Float>, now: HostTime) -> [Float] {
        let sent = sendOwn(frame, now: now)
        if let tap { sent.withUnsafeBufferPointer { tap.add(sent: $0, sampleRate: sampleRate) } }
        return sent
    }

    private func sendOwn(_ frame: UnsafeBufferPointer<Float>, now: HostTime) -> [Float] {
        guard !state.isEnded else { return [Float](repeating: 0, count: frame.count) }
        guard stream.configuration.echoes else { return stream.send(frame, now: now) }
        if echoed.count < frame.count {
            echoed.insert(contentsOf: repeatElement(0, count: frame.count - echoed.count), at: 0)
        }
        let block = Array(echoed.prefix(frame.count))
        echoed.removeFirst(frame.count)
        return block.withUnsafeBufferPointer { stream.send($0, now: now) }
    }

    /// Produces the next samples of the other side's voice.
    package func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        let outcome = hear(into: block, now: now)
        if let tap { tap.add(heard: UnsafeBufferPointer(block), sampleRate: sampleRate) }
        guard let outcome else { return nil }
        if stream.configuration.echoes {
            echoed.append(contentsOf: block)
            // A capture clock that runs slow would let it grow for as long as the call lasts.
            if echoed.count > sampleRate { echoed.removeFirst(echoed.count - sampleRate / 10) }
            block.update(repeating: 0)
        }
        return outcome
    }

    private func hear(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        // What is missing after a goodbye is not lost, and nothing is invented for it.
        let isOver = goodbye.leavesSilence(at: now) && stream.isPlayedOut
        guard !state.isEnded, !isOver else {
            block.update(repeating: 0)
            return nil
        }
        let outcome = stream.pull(into: block, now: now)
        if case .reset(let reason) = outcome.reason { events.append(.bufferReset(reason: reason.name)) }
        return outcome
    }

    /// Produces a frame of the other side's voice for whoever steps the call by a clock and not by a device: hearing and sending
    /// have one rhythm, so that nothing waits between them.
    /// - Returns: whether anything was heard, or concealed; without it the frame is silent.
    package func hear(frame: UnsafeMutableBufferPointer<Float>, now: HostTime) -> Bool {
        var isHeard = false
        var start = 0
        // Nothing happens between the parts of a frame: they are pulled as one, as far as the jitter buffer works on one.
        let block = max(1, sampleRate * MediaLimits.turnMilliseconds / 1000)
        while start < frame.count {
            let end = min(frame.count, start + block)
            let part = UnsafeMutableBufferPointer(rebasing: frame[start..<end])
            if hear(into: part, now: now) != nil { isHeard = true }
            start = end
        }
        return isHeard
    }

    /// Sends a frame as it is, also one that is an echo of what was heard: the counterpart of `hear(frame:now:)`.
    /// - Parameters:
    ///   - frame: of `frameLength` samples.
    ///   - now: when.
    ///   - encoders: those of others who are sent the same frame; `nil`: nobody is.
    /// - Returns: what stood for our voice after announcement and mute; empty where the call is over.
    @discardableResult
    package func say(
        _ frame: UnsafeBufferPointer<Float>, now: HostTime, encoders: ConferenceEncoders? = nil
    ) -> [Float] {
        state.isEnded ? [] : stream.send(frame, now: now, encoders: encoders)
    }

    /// Has the encoder work less (0...10), or as much as was asked for again.
    package func limitComplexity(to limit: Int) { stream.sendPath.limitComplexity(to: limit) }

    /// Takes what has come by the link.
    public func receive(now: HostTime) {
        guard !state.isEnded else { return stream.discardReceived(now: now) }
        stream.receive(now: now) { take($0) }
    }

    /// Takes one RTP datagram.
    public func receive(rtp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard !state.isEnded else { return }
        take(stream.receive(rtp: datagram, arrival: arrival))
    }

    /// Takes one RTCP datagram.
    public func receive(rtcp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard !state.isEnded else { return }
        take(stream.receive(rtcp: datagram, arrival: arrival))
    }

    private func take(_ sign: PacketSign) {
        if let change = sign.sourceChange {
            events.append(.sourceChanged(from: change.from, to: change.to))
            // Whoever said goodbye under another SSRC is here still.
            goodbye = Goodbye()
        }
        switch sign.kind {
        case .media: heardMedia(at: sign.arrival)
        case .control, .sourceLeft: stateMachine.heardControl(at: sign.arrival)
        case .goodbye where configuration.policy.endsByGoodbye: goodbye.said(at: sign.arrival)
        case .goodbye: stateMachine.heardControl(at: sign.arrival)
        case .nothing: break
        }
    }

    private func heardMedia(at arrival: HostTime) {
        goodbye.heardMedia(at: arrival)
        guard stateMachine.heardMedia(at: arrival) == .mediaStarted else { return }
        events.append(.mediaStarted)
        if configuration.policy.waitsForCaller { stream.join(at: arrival) }
        follow()
    }

    /// The stream follows the state.
    private func follow() {
        stream.direction = stateMachine.direction
        stream.expectsMedia = stateMachine.expectsMedia
        guard stateMachine.hasBegun, !firstDigits.isEmpty else { return }
        stream.send(digits: firstDigits)
        firstDigits = ""
    }

    // MARK: - Time

    /// This machine stood still, or was late: what it held up is not the network's doing.
    package func excuse(_ stop: MachineStop) { stream.excuse(stop) }

    /// This machine stood still, as what we send shows alone.
    package func noteHeldUp(_ stop: MachineStop) { stream.noteHeldUp(stop) }

    /// So many milliseconds of our voice are missing before the next frame: it was not captured.
    package func skip(milliseconds: Double) { stream.sendPath.skip(milliseconds: milliseconds) }

    /// Who hears it gave up sound that he held, or has his turns at other times: he asks so many milliseconds later from now on; negative:
    /// earlier.
    package func movePulls(by milliseconds: Double) { stream.movePulls(by: milliseconds) }

    /// By how much what is heard next is older than the jitter buffer's target asks, in milliseconds; negative: it falls short of it; nil
    /// before anything is heard.
    package var spareMilliseconds: Double? { stream.spareMilliseconds }

    /// Time passes: RTCP that is due is sent, silence of the network may end the call.
    public func advance(to now: HostTime, ntp: NTPTime) {
        stream.advanceLink(to: now)
        guard !state.isEnded else { return }
        while let event = stream.nextLinkEvent() { take(event, now: now) }
        stream.advance(to: now)
        while let event = stream.nextDigit(now: now) {
            events.append(.digitReceived(event.digit, durationMilliseconds: event.durationMilliseconds))
        }
        if goodbye.isMeant(at: now) { return settle(stateMachine.end(.remoteHangup), now: now) }
        if let format = stream.followHeardFormat() { events.append(.formatFollowed(format)) }
        if let refusal = stream.takeUpFormat(now: now, ntp: ntp) { events.append(.formatRefused(refusal)) }
        let isEchoLoop = stream.configuration.echoes && stream.remoteEchoes
        let action = isEchoLoop ? stateMachine.end(.echoLoop) : stateMachine.advance(to: now)
        guard action == .none else {
            stream.sendBye(now: now, ntp: ntp)
            return settle(action, now: now)
        }
        stream.report(now: now, ntp: ntp)
    }

    private func take(_ event: LinkEvent, now: HostTime) {
        switch event {
        case .peerLearnt, .unreachable: break
        case .peerMoved(let from, let to): events.append(.remoteMoved(from: from, to: to))
        case .peerLost(let address):
            events.append(.remoteLost(address))
            goodbye = Goodbye()
            stateMachine.lostMedia(at: now)
        case .secured(let suite, let fingerprint): events.append(.secured(suite: suite, fingerprint: fingerprint))
        case .notSecured(let reason, let isCertificate):
            events.append(.notSecured(reason: reason, isCertificate: isCertificate))
        }
    }

    /// When `advance` next has something to do, unless the call is over.
    public var nextDeadline: HostTime { stream.nextDeadline }

    // MARK: - What a person and signalling ask

    /// Does what was asked; a call that is over ignores it.
    public func perform(_ command: CallCommand, now: HostTime, ntp: NTPTime) {
        guard !state.isEnded else { return }
        switch command {
        case .mute(let isMuted):
            stream.setMuted(isMuted)
        case .direction(let direction):
            stateMachine.setWish(direction, at: now)
            follow()
        case .send(let format):
            stream.send(in: format)
            if let refusal = stream.takeUpFormat(now: now, ntp: ntp) { events.append(.formatRefused(refusal)) }
        case .receive(let formats):
            stream.receive(formats)
        case .digits(let digits):
            stream.send(digits: digits)
        case .volume(let gain):
            stream.setVolume(gain)
        case .signal(let signal):
            let action = stateMachine.take(signal, at: now)
            guard action == .none else { return end(action, now: now, ntp: ntp) }
            follow()
        case .controlBandwidth(let bandwidth):
            stream.limitControl(to: bandwidth, now: now)
        case .tap(let tap):
            self.tap = tap
        case .hangUp(let reason):
            end(stateMachine.end(reason), now: now, ntp: ntp)
        }
    }

    private func end(_ action: CallStateMachine.Action, now: HostTime, ntp: NTPTime) {
        stream.sendBye(now: now, ntp: ntp)
        settle(action, now: now)
    }

    private func settle(_ action: CallStateMachine.Action, now: HostTime) {
        guard case .end(let reason) = action else { return }
        if reason == .mediaTimeout { stream.noteBrokenOff(at: now) }
        events.append(.ended(reason))
    }
}
