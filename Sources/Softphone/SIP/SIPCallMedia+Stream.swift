import Media
import Metrics
import RTP
import Reporting
import Signalling

/// The stream: it begins, changes into what was agreed on anew, and ends.
extension SIPCallMedia {
    /// Bytes of a capture that is worth its file.
    private static let leastCapture = 1 << 16

    /// Starts the media that were agreed on, changes the running ones into them, or begins anew where that cannot be.
    func start(_ agreed: MediaAgreement) throws(SoftphoneError) {
        receives = agreed.receives
        hold.byPeer = agreed.isHeldByPeer
        guard let socket, let remote = agreed.remote else { return }
        // Nobody has answered, and it may yet be somebody else: our address is not worth what a telephone without ICE plays before.
        if !isAnswered, agreed.ice == nil, request.traversal.mode == .relay { return }
        if agreed.ice?.theirs.identity != running?.ice?.theirs.identity { lostPath = nil }
        if let ice = agreed.ice, isPathConnected { path?.follow(ice) }
        if let running, let session {
            if !Self.needsRestart(running, agreed) {
                change(session, from: running, to: agreed)
                return tellDirections(session)
            }
            stop()
        }
        try choosePath(agreed, remote, socket)
        let isFirst = running == nil
        takeCapturePlace()
        var wanted = request.media
        wanted.ring = nil
        (wanted.device.standby, standby) = (standby?.take(), nil)
        // What was said before the answer is nobody's.
        if let answeredAt { wanted.device.standby?.giveBack(since: answeredAt) }
        nameFiles(of: &wanted, isFirst: isFirst)
        // Keys in SDP may stay the same: a stream that begins anew must not use their keystream twice.
        let seed = (isFirst ? wanted.seed : nil) ?? .random(in: .min ... .max)
        var configuration = configuration(agreed, seed: seed)
        configuration.digits = isFirst && agreed.telephoneEvents != nil ? wanted.digits : ""
        configuration.echoes = request.echoes
        configuration.firstSequence = firstSequence
        // Nobody has heard what was played to somebody who did not answer.
        configuration.announcementStream =
            hasPlayed && !wanted.playsAgain ? nil : try wanted.announcementStream(rate: configuration.stream.audioRate)
        let party = try makeParty(configuration, socket, agreed)
        var commands: [CallCommand] = [.mute(isMuted), .signal(isAnswered ? .answered : .earlyMedia)]
        if hold.byUs { commands.append(.direction(.inactive)) }
        let session = try Softphone().begin(
            party, wanted, seed: seed, echoes: request.echoes, bridge: bridge, commands: commands)
        self.session = session
        firstSequence = configuration.sequence
        if let path = wanted.capturePath { captures.append(path) }
        hasPlayed = hasPlayed || isAnswered
        running = agreed
        tellKeys(agreed)
        session.setVolume(decibels: volume)
        if let tap { session.listen(at: tap) }
        tellDirections(session)
    }

    /// A call that only rings takes no place.
    private func takeCapturePlace() {
        guard bridge == nil, let place = request.media.capturePlace.take() else { return }
        request.media.capturePath = place()
    }

    /// What was written so far is kept: whatever begins anew has files of its own. Calls at one device are recorded together, by the
    /// one that begins there.
    func nameFiles(of wanted: inout MediaRequest, isFirst: Bool) {
        if !isFirst { wanted.dumpFolder = nil }
        if let bridge, !bridge.beginsRecording { (wanted.recordPath, wanted.device.playedFile) = (nil, nil) }
        if bridge != nil { wanted.capturePath = nil }
        // Each stretch has half of what the one before had: whoever has them begin anew again and again fills no disk.
        wanted.captureBytes = wanted.captureBytes.map { $0 >> captures.count }
        if let bytes = wanted.captureBytes, bytes < Self.leastCapture { wanted.capturePath = nil }
        for path in [\MediaRequest.recordPath, \.capturePath, \.device.playedFile] {
            guard let first = wanted[keyPath: path] else { continue }
            let next = request.files.next(first)
            wanted[keyPath: path] = next
            guard next != first else { continue }
            // A full folder ends no call that runs.
            do {
                try PathCheck.writable(next, option: "--record, --capture and the file of --device")
                FileNames.make(next, like: first)
                logger.notice("the media begin anew: what is recorded goes on in \(next)")
            } catch {
                wanted[keyPath: path] = nil
                pending.append(.warning("nothing more is recorded: \(error)"))
            }
        }
    }

    /// The device begins to run, since an answer may come at any moment: what is said then is not cut off. Once a call.
    func standBy() {
        guard !hasStoodBy, running == nil, bridge == nil else { return }
        hasStoodBy = true
        standby = StandbyOpening(request.media.device)
    }

    /// Whether a microphone or a loudspeaker takes its time to begin.
    var hasHardware: Bool {
        bridge?.hasDevice != false && (request.media.device.input.isHardware || request.media.device.output.isHardware)
    }

    /// Nobody will answer.
    func endStandby() { standby = nil }

    /// Somebody else needs the device before the answer.
    /// - Returns: whether it was in use, and is free now.
    func yieldStandby() -> Bool {
        defer { standby = nil }
        return standby?.take() != nil
    }

    /// Copies both sides from now on, also of media that begin later or anew; `nil`: no more.
    func listen(at tap: CallTap?) {
        self.tap = tap
        session?.listen(at: tap)
    }

    /// The stream goes on at a device that other calls have too; one that has not begun will begin there.
    func share(_ shared: CallBridge) throws(SoftphoneError) {
        guard bridge == nil else { return }
        (bridge, standby) = (shared, nil)
        guard session != nil, let running else { return }
        stop()
        try start(running)
    }

    /// What stands at our end.
    var sound: CallSound {
        var sound = request.sound
        sound.bridge = bridge
        return sound
    }

    /// The stream goes on with something else at our end; one that has not begun will begin there.
    func take(_ sound: CallSound) throws(SoftphoneError) {
        request.sound = sound
        // A device that stands by is not the one that is wanted any more.
        (bridge, standby) = (sound.bridge, nil)
        hasPlayed = false
        guard let running else { return }
        stop()
        try start(running)
    }

    func change(_ session: SessionCall, from running: MediaAgreement, to agreed: MediaAgreement) {
        self.running = agreed
        if running.rtcpBandwidth != agreed.rtcpBandwidth {
            session.send([.controlBandwidth(agreed.rtcpBandwidth.map(Double.init))])
        }
        guard Self.format(running) != Self.format(agreed) else { return }
        // What was sent before this was known is on its way still; a number that means something else now means that.
        let former = configuration(running, seed: 0).stream.receivedFormats.filter { format in
            let kind = agreed.received[format.payloadType]
            return kind == nil || kind == .audio
        }
        session.change(to: configuration(agreed, seed: 0).stream, from: former)
    }

    /// Records the stream there is from now on, or no longer.
    func record(to path: String?) throws(SoftphoneError) {
        guard let session else { throw .state("the call has no media to be recorded yet; wait until it is answered") }
        try session.record(to: path)
        isRecording = path != nil
    }

    /// A recording on request is of one stream.
    func endRecording(_ reason: RecordingEnd) {
        guard isRecording else { return }
        isRecording = false
        pending.append(.recordingEnded(reason))
    }

    /// Ends the stream; its ports stay bound.
    func stop() {
        guard let session else { return }
        endRecording(.mediaRestarted)
        pending += session.takeEvents().map(\.body)
        if let leg = session.close().first?.report {
            let packets = leg.statistics.packetsSent ?? 0
            firstSequence = firstSequence.flatMap { StreamConfiguration.sequence(after: $0, packets: packets) }
            formerLegs.append(leg)
        }
        self.session = nil
    }

    /// Whether running media need another socket's peer, or what no command changes.
    static func needsRestart(_ running: MediaAgreement, _ agreed: MediaAgreement) -> Bool {
        !agreed.isSamePath(as: running) || !agreed.keepsKeys(of: running) || running.redundancy != agreed.redundancy
            || running.levels != agreed.levels || running.receivedRedundancy != agreed.receivedRedundancy
    }

    /// What a running stream is changed by.
    static func format(_ agreed: MediaAgreement) -> MediaAgreement {
        var format = agreed
        // What a stream does not care about, or is told by itself.
        (format.sends, format.receives, format.isHeldByPeer, format.isHeldByUs) = (true, true, false, false)
        (format.ice, format.remote, format.remoteControl, format.rtcpBandwidth) = (nil, nil, nil, nil)
        format.local = nil
        return format
    }

    func configuration(_ agreed: MediaAgreement, seed: UInt64) -> CallConfiguration {
        var configuration = request.media.callConfiguration(
            seed: seed, codec: agreed.codec, packetMilliseconds: agreed.packetMilliseconds,
            isCodedAgain: bridge?.hasDevice == false || request.echoes)
        configuration.take(agreed)
        return configuration
    }
}
