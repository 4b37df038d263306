import AudioUnits
import Calling
import Glibc
import Network
import Realtime
import Reporting

/// A `CallSession` as the console sees it: its events and those of its device in one mailbox, its figures, its report.
final class SessionCall: LiveCall {
    private let session: CallSession
    private let transport: MediaTransport
    private let options: MediaOptions
    private var pending: [EventBody] = []
    private let start = HostTime.monotonicNow()
    private var mediaStart: HostTime?
    private var endReason: String?

    init(_ session: CallSession, transport: MediaTransport, options: MediaOptions) {
        self.session = session
        self.transport = transport
        self.options = options
    }

    /// Tells that sending has begun, and what was not granted.
    func announceStart() {
        pending.append(
            .callStarted(
                remote: transport.remote.map { "\($0)" }, local: "\(transport.local)", codec: options.codec.rawValue,
                device: session.unit.device.identifier))
        if options.realtime, session.mediaPolicy == .normal {
            pending.append(
                .warning("no real-time priority granted; sound may stutter on a busy machine: raise RLIMIT_RTPRIO"))
        }
        SetupFacts(options, session).log()
        session.channel.events.signal.signal()
    }

    var eventDescriptor: Int32 { session.channel.events.signal.fileDescriptor }

    func takeEvents() -> [EventBody] {
        defer { pending.removeAll() }
        return pending + session.channel.events.takeAll().map { translate($0) }
    }

    private func translate(_ event: CallEvent) -> EventBody {
        logger.trace("event \(event)")
        switch event {
        case .mediaStarted:
            let now = HostTime.monotonicNow()
            mediaStart = now
            return .mediaStarted(
                remote: session.channel.remote ?? "", afterMilliseconds: now.milliseconds(since: start))
        case .sourceChanged(let from, let to): return .ssrcChanged(from: from, to: to)
        case .bufferReset(let reason): return .bufferReset(reason: reason)
        case .digitReceived(let digit, _): return .dtmf(digit: String(digit), direction: .received)
        case .echoState(let figures): return .echoState(figures)
        case .warning(let message): return .warning(message)
        case .device(let event): return EventBody(event, of: session.unit.device)
        case .ended(let reason):
            endReason = reason.rawValue
            return .callEnded(reason: reason.rawValue, durationSeconds: seconds)
        }
    }

    private var seconds: Double? { mediaStart.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 } }

    var statistics: CallStatistics { session.channel.statistics }
    func setMuted(_ muted: Bool) { session.channel.send(.mute(muted)) }
    func setHeld(_ held: Bool) { session.channel.send(.hold(held)) }
    func setVolume(decibels: Int) { session.channel.send(.volume(Float(pow(10, Double(decibels) / 20)))) }
    func send(digit: Character) { session.channel.send(.digits(String(digit))) }
    func hangUp(byDuration: Bool) { session.channel.send(.hangUp(byDuration ? .duration : .localHangup)) }

    func close() -> CallReport {
        session.channel.send(.hangUp(.localHangup))
        var report = CallReport()
        report.durationSeconds = seconds
        let facts = SetupFacts(options, session)
        report.requested = facts.requested
        report.effective = facts.effective
        for (path, reason) in session.finish() {
            pending.append(.warning("\(reason); what was recorded before is kept in \(path)"))
        }
        transport.statistics.log()
        report.reason = endReason
        report.statistics = session.channel.statistics
        return report
    }
}

extension EventBody {
    init(_ event: DeviceEvent, of hardware: any HardwareDevice) {
        let device = hardware.identifier
        switch event {
        case .lost(let error): self = .deviceLost(device: device, reason: error.explanation)
        case .back(let milliseconds): self = .deviceBack(device: device, afterMilliseconds: milliseconds)
        case .xrun(let capture):
            let status = hardware.status
            self = .xrun(
                direction: capture ? .capture : .playback, count: capture ? status.captureXruns : status.playbackXruns)
        case .microphoneSilent:
            self = .warning("the microphone \(device) has been digitally silent for 3 s; unmute it in the mixer")
        case .microphoneHeard: self = .warning("the microphone \(device) delivers sound again")
        }
    }
}
