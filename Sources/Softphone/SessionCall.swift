import AudioDevices
import AudioUnits
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Metrics
import Realtime
import Reporting

/// Parties of a `CallSession` as one thread at a time sees them: their events and the device's, figures, reports.
final class SessionCall: OwnedCall {
    private let place: any PartyPlace
    private let addresses: [(local: SocketAddress, remote: SocketAddress?)]
    /// Other addresses of each party's remote.
    private let alternatives: [[SocketAddress]]
    private let media: MediaRequest
    /// Each party's codec, and the one that it begins with.
    private var codecs: [Codec]
    private let firstCodecs: [Codec]
    private var pending: [(party: Int, body: EventBody)] = []
    private let start = HostTime.monotonicNow()
    private var mediaStarts: [HostTime?]
    private var endReasons: [Media.EndReason?]
    /// Whether a party's present call was told.
    private var isAnnounced: [Bool]
    /// Whether a place waits for the next caller when a call is over.
    private let takesNext: Bool
    private var isMuted = false
    private(set) var isHeld = false
    private var ring: CallTone?
    /// Why there are no keys for encrypted media; nil: there are, may still be, or need not.
    private(set) var encryptionFailure: (reason: String, isCertificate: Bool)?

    /// When the first sample of ours that was sent was captured, and when the loudspeaker began; nil: not yet.
    private(set) var voiceStart: (captured: HostTime, playing: HostTime?)?

    /// What is known of a party before the media thread has its socket.
    struct Party {
        /// Where its packets come and go.
        let local: SocketAddress
        let remote: SocketAddress?
        let alternatives: [SocketAddress]
        let codec: Codec

        init(_ party: CallParty) {
            (local, remote, alternatives) = (party.socket.local, party.socket.peer?.media, party.alternatives)
            codec = party.configuration.codec
        }
    }

    init(_ place: any PartyPlace, parties: [Party], media: MediaRequest, takesNext: Bool) {
        self.place = place
        addresses = parties.map { ($0.local, $0.remote) }
        alternatives = parties.map(\.alternatives)
        self.media = media
        firstCodecs = parties.map(\.codec)
        codecs = firstCodecs
        mediaStarts = parties.map { _ in nil }
        endReasons = parties.map { _ in nil }
        isAnnounced = parties.map { _ in false }
        self.takesNext = takesNext
    }

    var parties: Int { addresses.count }
    var failure: SoftphoneError? { nil }
    var wasCall: Bool { mediaStarts.contains { $0 != nil } }

    /// Tells that sending has begun, and what was not granted.
    func announceStart() {
        // Of a port that takes several callers one waits for the first; the others are told when they come.
        for (party, address) in addresses.enumerated() where !takesNext || party == 0 {
            isAnnounced[party] = true
            let started = EventBody.callStarted(
                remote: address.remote.map { "\($0)" }, local: "\(address.local)", codec: codecs[party].name,
                device: place.device.identifier)
            pending.append((party, started))
        }
        if media.device.realtime, place.mediaPolicy == .normal {
            let advice = "no real-time priority granted; sound may stutter on a busy machine: raise RLIMIT_RTPRIO"
            pending.append((0, .warning(advice)))
        }
        if parties > 1, place.playedChannels == 1 {
            pending.append((0, .warning("\(place.device.identifier) plays one channel: nobody has a direction")))
        }
        SetupFacts(media, codecs[0], granted: place.granted).log()
        place.channels[0].events.signal.signal()
    }

    var eventDescriptors: [Int32] { place.channels.map(\.events.signal.fileDescriptor) }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        if ring?.isOver == true { ring = nil }
        pending += place.takeFileWarnings().map { (0, .warning($0)) }
        defer { pending.removeAll() }
        return place.channels.enumerated().reduce(into: pending) { events, channel in
            for event in channel.element.events.takeAll() {
                events += translate(event, of: channel.offset).map { (channel.offset, $0) }
            }
        }
    }

    private func translate(_ event: LiveCallEvent, of party: Int) -> [EventBody] {
        logger.trace("event \(event)")
        // A call that comes after the first begins with its first packet.
        let start = isAnnounced[party] ? self.start : HostTime.monotonicNow()
        let bodies = EventBody.of(
            event, device: place.device, remote: place.channels[party].remote.map { "\($0)" } ?? "",
            start: start, mediaStart: mediaStarts[party])
        switch event {
        case .voiceStarted(let captured, let playing):
            if party == 0 { voiceStart = (captured, playing) }
            return []
        case .call(.mediaStarted):
            mediaStarts[party] = HostTime.monotonicNow()
            return announce(party) + bodies + startRinging()
        case .madeRoom(let reason, let statistics):
            let report = report(of: party, reason: reason, statistics)
            mediaStarts[party] = nil
            isAnnounced[party] = false
            codecs[party] = firstCodecs[party]
            // Whoever calls next finds it as the person left it.
            for command in [.mute(isMuted), direction] as [CallCommand] { place.channels[party].send(command) }
            return bodies + [.report(report)]
        case .call(.formatFollowed(let format)):
            codecs[party] = format.codec
            return bodies
        case .call(.notSecured(let reason, let isCertificate)):
            encryptionFailure = (reason, isCertificate)
            return bodies
        case .call(.remoteMoved(let from, let to)) where !alternatives[party].isEmpty && mediaStarts[party] == nil:
            return [.tried(to, after: from)]
        case .call(.ended(let reason)):
            endReasons[party] = reason
            if reason == .mediaTimeout, mediaStarts[party] == nil, let remote = addresses[party].remote,
                !alternatives[party].isEmpty
            {
                let tried = ([remote] + alternatives[party]).text
                let explanation = reason.explanation(of: tried, wasHeard: false)
                return [.callEnded(reason: reason.rawValue, durationSeconds: nil, explanation: explanation)]
            }
            // A place where nobody was ends without a word.
            return isAnnounced[party] ? bodies : []
        default: return bodies
        }
    }

    /// What a call that came after the first has yet to tell.
    private func announce(_ party: Int) -> [EventBody] {
        guard !isAnnounced[party] else { return [] }
        isAnnounced[party] = true
        return [
            .callStarted(
                remote: place.channels[party].remote.map { "\($0)" }, local: "\(addresses[party].local)",
                codec: codecs[party].name, device: place.device.identifier)
        ]
    }

    /// A ring that cannot be heard is no reason to miss the call.
    private func startRinging() -> [EventBody] {
        guard let speaker = media.ring else { return [] }
        do throws(AudioUnitError) {
            ring = try CallTone(at: speaker, .ring, audio: place.audio)
            return []
        } catch {
            return [.warning("no ring tone on \(speaker.name): \(SoftphoneError(error).description)")]
        }
    }

    private func seconds(of party: Int) -> Double? {
        mediaStarts[party].map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
    }

    private func send(_ command: CallCommand) { for channel in place.channels { channel.send(command) } }

    /// What is asked of the media before they begin.
    func send(_ commands: [CallCommand]) { for command in commands { send(command) } }

    /// Goes on in the format of `stream` both ways; what is still on its way in the former ones is heard too.
    func change(to stream: StreamConfiguration, from former: [MediaFormat]) {
        codecs[0] = stream.codec
        let formats = stream.receivedFormats
        send(.receive(formats + former.filter { !formats.contains($0) }))
        send(.send(SendingFormat(stream.format, encoder: stream.encoder)))
    }

    func record(to path: String?) throws(SoftphoneError) {
        do throws(CallError) { try place.record(to: path) } catch { throw SoftphoneError(error) }
    }

    func listen(at tap: CallTap?) { send(.tap(tap)) }

    /// What signalling tells the call.
    func signal(_ signal: CallSignal) { send(.signal(signal)) }

    /// Nobody rings without signalling: the first packet begins the call.
    func answer(through bridge: CallBridge?) {}
    func endReason(of party: Int) -> Media.EndReason? { endReasons[party] }
    func statistics(of party: Int) -> CallStatistics { place.channels[party].statistics }
    func setMuted(_ muted: Bool) {
        isMuted = muted
        send(.mute(muted))
    }

    func setHeld(_ held: Bool) {
        isHeld = held
        send(direction)
    }

    private var direction: CallCommand { .direction(isHeld ? .inactive : .sendReceive) }

    func setVolume(decibels: Int) { send(.volume(Float(pow(10, Double(decibels) / 20)))) }
    func send(digit: Character) { send(.digits(String(digit))) }
    func hangUp(byDuration: Bool) { send(.hangUp(byDuration ? .duration : .localHangup)) }

    func close() -> [(party: Int, report: CallReport)] {
        ring = nil
        send(.hangUp(.localHangup))
        let durations = addresses.indices.map { seconds(of: $0) }
        let facts = codecs.map { SetupFacts(media, $0, granted: place.granted) }
        place.leave()
        for channel in place.channels { channel.linkStatistics.log() }
        // A place where nobody is leaves no report.
        return addresses.indices.filter { !takesNext || durations[$0] != nil }.map { party in
            var report = report(of: party, reason: endReasons[party], place.channels[party].statistics, facts[party])
            report.durationSeconds = durations[party]
            return (party, report)
        }
    }

    private func report(
        of party: Int, reason: Media.EndReason?, _ statistics: CallStatistics, _ facts: SetupFacts? = nil
    ) -> CallReport {
        let facts = facts ?? SetupFacts(media, codecs[party], granted: place.granted)
        var report = CallReport()
        report.durationSeconds = seconds(of: party)
        report.requested = facts.requested
        report.effective = facts.effective
        report.reason = reason?.rawValue
        report.statistics = statistics
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
