import Codecs
import JitterBuffer
import Link
import RTP
import Realtime

/// One call: its two media paths, its RTCP and its state. Sans-I/O, and confined to the thread that steps it.
///
/// Packets come and go by the `PacketLink`, audio goes in by `send` and out by `pull`, time by `advance`. Whoever owns the
/// clock and the lowest link decides whether that is a live call or a simulated one.
public final class Call {
    /// What the call was made of.
    public let configuration: CallConfiguration
    /// Stages between device and codec, as the loop that steps the call measures them.
    package var deviceDelay = DeviceDelay()

    let sendPath: SendPath
    let receivePath: ReceivePath
    private(set) var control: ControlPath
    private let link: any PacketLink
    private var stateMachine: CallStateMachine
    private var events: [CallEvent] = []
    private var echoed: [Float] = []
    private var collision = SourceCollision()
    private var goodbye = Goodbye()

    /// Starts a call at `now`; RTCP begins by its timer, RTP with the first frame.
    public init(configuration: CallConfiguration, link: any PacketLink, now: HostTime) throws(CodecError) {
        self.configuration = configuration
        self.link = link
        let identity = RTPIdentity(seed: configuration.seed)
        sendPath = try SendPath(configuration: configuration, identity: identity, link: link)
        receivePath = try ReceivePath(configuration: configuration, localSSRC: identity.ssrc)
        stateMachine = CallStateMachine(
            now: now, timeoutMilliseconds: configuration.mediaTimeoutMilliseconds,
            waitsForCaller: configuration.waitsForCaller)
        control = ControlPath(configuration: configuration, ssrc: identity.ssrc, now: now)
        link.expect(receivePath.receiver.payloadTypes.known)
    }

    /// Where the call stands.
    public var state: CallState { stateMachine.state }
    /// Samples in one frame of this call.
    public var frameLength: Int { sendPath.encoder.frameLength }
    /// The rate of the audio that goes in and out, in Hz.
    public var sampleRate: Int { sendPath.encoder.sampleRate }

    /// What the jitter buffer counted.
    package var jitterBufferStatistics: JitterBufferStatistics { receivePath.buffer.statistics }

    /// What happened since the owner last asked.
    public func takeEvents() -> [CallEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    // MARK: - Media

    /// Takes one frame of the microphone's audio.
    /// - Returns: what stood for our voice after announcement, echo and mute.
    package func send(_ frame: UnsafeBufferPointer<Float>, now: HostTime) -> [Float] {
        guard !state.isEnded else { return [Float](repeating: 0, count: frame.count) }
        guard configuration.echoes else { return sendPath.process(frame, now: now) }
        if echoed.count < frame.count {
            echoed.insert(contentsOf: repeatElement(0, count: frame.count - echoed.count), at: 0)
        }
        let block = Array(echoed.prefix(frame.count))
        echoed.removeFirst(frame.count)
        return block.withUnsafeBufferPointer { sendPath.process($0, now: now) }
    }

    /// Produces the next samples of the other side's voice.
    package func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        // What is missing after a goodbye is not lost, and nothing is invented for it.
        let isOver = goodbye.leavesSilence(at: now) && receivePath.lastOutcome.map { $0.levelMs <= 0 } ?? true
        guard !state.isEnded, !isOver else {
            block.update(repeating: 0)
            return nil
        }
        let outcome = receivePath.pull(into: block, now: now)
        if case .reset(let reason) = outcome.reason { events.append(.bufferReset(reason: "\(reason)")) }
        if configuration.echoes {
            echoed.append(contentsOf: block)
            // A capture clock that runs slow would let it grow for as long as the call lasts.
            if echoed.count > sampleRate { echoed.removeFirst(echoed.count - sampleRate / 10) }
            block.update(repeating: 0)
        }
        return outcome
    }

    /// Takes what has come by the link.
    public func receive(now: HostTime) {
        link.receive(now: now) { packet in
            let bytes = UnsafeRawBufferPointer(packet.bytes)
            switch packet.kind {
            case .rtp: receive(rtp: bytes, arrival: packet.arrival)
            case .rtcp: receive(rtcp: bytes, arrival: packet.arrival)
            default: break
            }
        }
    }

    /// Takes one RTP datagram.
    public func receive(rtp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard !state.isEnded else { return }
        let before = receivePath.receiver.statistics.ssrc
        let outcome = receivePath.receive(datagram, arrival: arrival)
        if let before, let after = receivePath.receiver.statistics.ssrc, before != after {
            events.append(.sourceChanged(from: before, to: after))
        }
        switch outcome {
        case .media, .event:
            heardMedia(at: arrival)
        case .dropped(let reason):
            if reason == .ownSource { collision.note(at: arrival) }
        }
    }

    private func heardMedia(at arrival: HostTime) {
        goodbye.heardMedia(at: arrival)
        guard stateMachine.heardMedia(at: arrival) == .mediaStarted else { return }
        events.append(.mediaStarted)
        if configuration.waitsForCaller { control.join(at: arrival) }
        if !configuration.digits.isEmpty { sendPath.send(digits: configuration.digits) }
    }

    /// Takes one RTCP datagram.
    public func receive(rtcp datagram: UnsafeRawBufferPointer, arrival: HostTime) {
        guard !state.isEnded else { return }
        let collisions = control.collisions
        defer { if control.collisions > collisions { collision.note(at: arrival) } }
        switch control.receive(datagram, arrival: arrival, source: receivePath.receiver.statistics.ssrc) {
        case .heard: stateMachine.heardControl(at: arrival)
        case .bye where configuration.heedsGoodbye: goodbye.said(at: arrival)
        case .bye: stateMachine.heardControl(at: arrival)
        case .ignored: break
        }
        if let loss = control.takeReportedLoss() { sendPath.heed(loss) }
    }

    // MARK: - Time

    /// Time passes: RTCP that is due is sent, silence of the network may end the call.
    public func advance(to now: HostTime, ntp: NTPTime) {
        link.advance(to: now)
        guard !state.isEnded else { return }
        while let event = link.nextEvent() { take(event, now: now) }
        control.advance(to: now)
        while let event = receivePath.nextDigit(now: now) {
            events.append(.digitReceived(event.digit, durationMilliseconds: event.durationMilliseconds))
        }
        if goodbye.isMeant(at: now) { return settle(stateMachine.end(.remoteHangup)) }
        let action = control.remoteEchoes && configuration.echoes ? stateMachine.end(.echoLoop) : stateMachine.advance(to: now)
        guard action == .none else {
            control.sendBye(now: now, ntp: ntp, sender: sendPath.senderInfo, link: link)
            return settle(action)
        }
        if collision.takeIsPending() { changeSource(now: now, ntp: ntp) }
        guard control.isReportDue(now: now) else { return }
        let (reports, extended) = (receivePath.makeReportBlocks(), makeExtendedReportBlocks())
        control.report(
            now: now, ntp: ntp, sender: sendPath.senderInfo, reports: reports, extended: extended,
            sendDelayMilliseconds: sendDelayMilliseconds, link: link)
    }

    private func take(_ event: LinkEvent, now: HostTime) {
        switch event {
        case .peerLearnt: break
        case .peerMoved(let from, let to): events.append(.remoteMoved(from: from, to: to))
        case .peerLost(let address):
            events.append(.remoteLost(address))
            goodbye = Goodbye()
            stateMachine.lostMedia(at: now)
        }
    }

    /// Somebody else sends as us: says goodbye under the old SSRC and goes on under another (RFC 3550 section 8.2).
    private func changeSource(now: HostTime, ntp: NTPTime) {
        let ssrc = collision.replacement(seed: configuration.seed)
        control.changeSource(to: ssrc, now: now, ntp: ntp, sender: sendPath.senderInfo, link: link)
        sendPath.changeSource(to: ssrc)
        receivePath.setLocalSSRC(ssrc)
    }

    /// When `advance` next has something to do.
    public var nextDeadline: HostTime {
        guard let link = link.nextDeadline else { return control.nextDeadline }
        return min(control.nextDeadline, link)
    }

    // MARK: - What a person does

    /// Does what was asked; a call that is over ignores it.
    public func perform(_ command: CallCommand, now: HostTime, ntp: NTPTime) {
        guard !state.isEnded else { return }
        switch command {
        case .mute(let muted):
            sendPath.isMuted = muted
        case .hold(let held):
            stateMachine.setHeld(held, at: now)
            sendPath.isHeld = held
            receivePath.isHeld = held
        case .digits(let digits):
            sendPath.send(digits: digits)
        case .volume(let gain):
            receivePath.volume = min(max(gain, 0), 4)
        case .hangUp(let reason):
            control.sendBye(now: now, ntp: ntp, sender: sendPath.senderInfo, link: link)
            settle(stateMachine.end(reason))
        }
    }

    private func settle(_ action: CallStateMachine.Action) {
        if case .end(let reason) = action { events.append(.ended(reason)) }
    }
}
