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
        session.channel.events.signal.signal()
    }

    var eventDescriptor: Int32 { session.channel.events.signal.fileDescriptor }

    func takeEvents() -> [EventBody] {
        defer { pending.removeAll() }
        return pending + session.channel.events.takeAll().map { translate($0) }
    }

    private func translate(_ event: CallEvent) -> EventBody {
        switch event {
        case .mediaStarted:
            let now = HostTime.monotonicNow()
            mediaStart = now
            return .mediaStarted(
                remote: transport.remote.map { "\($0)" } ?? "", afterMilliseconds: now.milliseconds(since: start))
        case .sourceChanged(let from, let to): return .ssrcChanged(from: from, to: to)
        case .bufferReset(let reason): return .bufferReset(reason: reason)
        case .digitReceived(let digit, _): return .dtmf(digit: String(digit), direction: .received)
        case .device(let event): return EventBody(event, device: session.unit.device.identifier)
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
        report.requested = options.requested
        report.effective = effective
        for (path, reason) in session.finish() {
            pending.append(.warning("\(reason), \(path); what was recorded before is kept"))
        }
        report.reason = endReason
        report.statistics = session.channel.statistics
        return report
    }

    /// What was granted of `MediaOptions.requested`.
    private var effective: [String: String] {
        var facts = ["codec": options.codec.rawValue]
        let unit = session.unit
        if let format = try? unit.format(scope: .input, element: Element.input) {
            facts["rate_hz"] = String(Int(format.sampleRate))
        }
        facts["echo_control"] = (unit as? VoiceProcessingIO).map { String($0.echoCancellation) } ?? "false"
        facts["device"] = unit.device.identifier
        facts["realtime_priority"] = unit.device.status.realtimePriority.map(String.init) ?? "none"
        if let target = unit.device.status.playbackTargetMilliseconds {
            facts["playback_target_ms"] = String((target * 10).rounded() / 10)
        }
        return facts
    }
}

extension MediaOptions {
    /// What was asked for, under the names the report uses.
    var requested: [String: String] {
        var facts = ["codec": codec.rawValue, "echo_control": String(voiceProcessing)]
        facts["rate_hz"] = sampleRate.map(String.init) ?? "any"
        facts["device"] = input == output ? input.name : "\(input.name), \(output.name)"
        facts["realtime_priority"] = realtime ? String(CallSession.devicePriority) : "none"
        return facts
    }
}

extension EventBody {
    init(_ event: DeviceEvent, device: String) {
        switch event {
        case .lost(let error): self = .deviceLost(device: device, reason: error.explanation)
        case .back(let milliseconds): self = .deviceBack(device: device, afterMilliseconds: milliseconds)
        case .xrun(let capture): self = .xrun(direction: capture ? .capture : .playback, count: 1)
        case .microphoneSilent:
            self = .warning("the microphone \(device) has been digitally silent for 3 s; unmute it in the mixer")
        case .microphoneHeard: self = .warning("the microphone \(device) delivers sound again")
        }
    }
}
