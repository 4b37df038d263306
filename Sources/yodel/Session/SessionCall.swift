import AudioDevices
import AudioUnits
import Calling
import Glibc
import Network
import Realtime
import Reporting

/// A `CallSession` as the console sees it: the events of its parties and its device, figures, reports.
final class SessionCall: LiveCall {
    private let session: CallSession
    private let transports: [MediaTransport]
    private let options: MediaOptions
    private var pending: [(party: Int, body: EventBody)] = []
    private let start = HostTime.monotonicNow()
    private var mediaStarts: [HostTime?]
    private var endReasons: [String?]
    private var ring: RingTone?

    init(_ session: CallSession, transports: [MediaTransport], options: MediaOptions) {
        self.session = session
        self.transports = transports
        self.options = options
        mediaStarts = transports.map { _ in nil }
        endReasons = transports.map { _ in nil }
    }

    var parties: Int { transports.count }

    /// Tells that sending has begun, and what was not granted.
    func announceStart() {
        for (party, transport) in transports.enumerated() {
            let started = EventBody.callStarted(
                remote: transport.remote.map { "\($0)" }, local: "\(transport.local)", codec: options.codec.rawValue,
                device: session.unit.device.identifier)
            pending.append((party, started))
        }
        if options.realtime, session.mediaPolicy == .normal {
            let advice = "no real-time priority granted; sound may stutter on a busy machine: raise RLIMIT_RTPRIO"
            pending.append((0, .warning(advice)))
        }
        if parties > 1, (try? session.unit.format(scope: .output, element: 0))?.channels == 1 {
            pending.append((0, .warning("\(session.unit.device.identifier) plays one channel: nobody has a direction")))
        }
        SetupFacts(options, session).log()
        session.channel.events.signal.signal()
    }

    var eventDescriptors: [Int32] { session.channels.map(\.events.signal.fileDescriptor) }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        if ring?.isOver == true { ring = nil }
        defer { pending.removeAll() }
        return session.channels.enumerated().reduce(into: pending) { events, channel in
            for event in channel.element.events.takeAll() {
                events += translate(event, of: channel.offset).map { (channel.offset, $0) }
            }
        }
    }

    private func translate(_ event: CallEvent, of party: Int) -> [EventBody] {
        logger.trace("event \(event)")
        switch event {
        case .mediaStarted:
            let now = HostTime.monotonicNow()
            mediaStarts[party] = now
            let started = EventBody.mediaStarted(
                remote: session.channels[party].remote ?? "", afterMilliseconds: now.milliseconds(since: start))
            return [started] + startRinging()
        case .sourceChanged(let from, let to): return [.ssrcChanged(from: from, to: to)]
        case .bufferReset(let reason): return [.bufferReset(reason: reason)]
        case .digitReceived(let digit, _): return [.dtmf(digit: String(digit), direction: .received)]
        case .echoState(let figures): return [.echoState(figures)]
        case .warning(let message): return [.warning(message)]
        case .device(let event): return [EventBody(event, of: session.unit.device)]
        case .session(let event): return EventBody.of(event)
        case .ended(let reason):
            endReasons[party] = reason.rawValue
            return [.callEnded(reason: reason.rawValue, durationSeconds: seconds(of: party))]
        }
    }

    /// A ring that cannot be heard is no reason to miss the call.
    private func startRinging() -> [EventBody] {
        guard let place = options.ring else { return [] }
        do throws(AudioUnitError) {
            let device: any HardwareDevice
            do throws(DeviceError) {
                device = try makeDevice(place, place)
            } catch {
                throw .device(error)
            }
            ring = try RingTone(on: device, audio: session.audio)
            return []
        } catch {
            return [.warning("no ring tone on \(place.name): \(CommandError(CallError.audioUnit(error)).message)")]
        }
    }

    private func seconds(of party: Int) -> Double? {
        mediaStarts[party].map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
    }

    private func send(_ command: Calling.CallCommand) { for channel in session.channels { channel.send(command) } }

    func statistics(of party: Int) -> CallStatistics { session.channels[party].statistics }
    func setMuted(_ muted: Bool) { send(.mute(muted)) }
    func setHeld(_ held: Bool) { send(.hold(held)) }
    func setVolume(decibels: Int) { send(.volume(Float(pow(10, Double(decibels) / 20)))) }
    func send(digit: Character) { send(.digits(String(digit))) }
    func hangUp(byDuration: Bool) { send(.hangUp(byDuration ? .duration : .localHangup)) }

    func close() -> [CallReport] {
        ring = nil
        send(.hangUp(.localHangup))
        let durations = transports.indices.map { seconds(of: $0) }
        let facts = SetupFacts(options, session)
        for (path, reason) in session.finish() {
            pending.append((0, .warning("\(reason); what was recorded before is kept in \(path)")))
        }
        return transports.indices.map { party in
            transports[party].statistics.log()
            var report = CallReport()
            report.durationSeconds = durations[party]
            report.requested = facts.requested
            report.effective = facts.effective
            report.reason = endReasons[party]
            report.statistics = session.channels[party].statistics
            return report
        }
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
