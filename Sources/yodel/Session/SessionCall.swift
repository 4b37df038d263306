import AudioDevices
import AudioUnits
import Glibc
import Link
import LiveMedia
import Media
import Metrics
import Realtime
import Reporting

/// A `CallSession` as the console sees it: the events of its parties and its device, figures, reports.
final class SessionCall: LiveCall {
    private let session: CallSession
    /// Where each party's packets come and go, as it was before the media thread had the sockets.
    private let addresses: [(local: SocketAddress, remote: SocketAddress?)]
    private let options: MediaOptions
    private var pending: [(party: Int, body: EventBody)] = []
    private let start = HostTime.monotonicNow()
    private var mediaStarts: [HostTime?]
    private var endReasons: [Media.EndReason?]
    private var ring: RingTone?

    init(_ session: CallSession, parties: [CallParty], options: MediaOptions) {
        self.session = session
        addresses = parties.map { ($0.socket.local, $0.socket.peer?.media) }
        self.options = options
        mediaStarts = parties.map { _ in nil }
        endReasons = parties.map { _ in nil }
    }

    var parties: Int { addresses.count }

    /// Tells that sending has begun, and what was not granted.
    func announceStart() {
        for (party, address) in addresses.enumerated() {
            let started = EventBody.callStarted(
                remote: address.remote.map { "\($0)" }, local: "\(address.local)", codec: options.codec.name,
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
        pending += session.takeFileWarnings().map { (0, .warning($0)) }
        defer { pending.removeAll() }
        return session.channels.enumerated().reduce(into: pending) { events, channel in
            for event in channel.element.events.takeAll() {
                events += translate(event, of: channel.offset).map { (channel.offset, $0) }
            }
        }
    }

    private func translate(_ event: LiveCallEvent, of party: Int) -> [EventBody] {
        logger.trace("event \(event)")
        let bodies = EventBody.of(
            event, device: session.unit.device, remote: session.channels[party].remote.map { "\($0)" } ?? "",
            start: start, mediaStart: mediaStarts[party])
        switch event {
        case .call(.mediaStarted):
            mediaStarts[party] = HostTime.monotonicNow()
            return bodies + startRinging()
        case .call(.ended(let reason)):
            endReasons[party] = reason
            return bodies
        default: return bodies
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

    private func send(_ command: Media.CallCommand) { for channel in session.channels { channel.send(command) } }

    func endReason(of party: Int) -> Media.EndReason? { endReasons[party] }
    func statistics(of party: Int) -> CallStatistics { session.channels[party].statistics }
    func setMuted(_ muted: Bool) { send(.mute(muted)) }
    func setHeld(_ held: Bool) { send(.direction(held ? .inactive : .sendReceive)) }
    func setVolume(decibels: Int) { send(.volume(Float(pow(10, Double(decibels) / 20)))) }
    func send(digit: Character) { send(.digits(String(digit))) }
    func hangUp(byDuration: Bool) { send(.hangUp(byDuration ? .duration : .localHangup)) }

    func close() -> [CallReport] {
        ring = nil
        send(.hangUp(.localHangup))
        let durations = addresses.indices.map { seconds(of: $0) }
        let facts = SetupFacts(options, session)
        session.finish()
        let network = session.linkStatistics
        return addresses.indices.map { party in
            network[party].log()
            var report = CallReport()
            report.durationSeconds = durations[party]
            report.requested = facts.requested
            report.effective = facts.effective
            report.reason = endReasons[party]?.rawValue
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
