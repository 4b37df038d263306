import Link
import Media
import RTP
import Realtime

/// Who calls at a port: whose packet has come, who is let in, and who goes.
extension PortTurns {
    mutating func take(_ packet: inout ReceivedPacket, now: HostTime) {
        let bytes = UnsafeRawBufferPointer(packet.bytes)
        switch packet.kind {
        case .rtp where !packet.isOnControlPort:
            switch room.receive(rtp: packet, refusal: refusal, isPutOff: joinsLeft == 0) {
            case .call(let seat): calls[seat]?.call.receive(rtp: bytes, arrival: packet.arrival)
            case .caller(let seat):
                begin(seat, at: packet.source, now: now)
                deliver(packet, to: seat)
            case .continued(let seat):
                move(seat, to: packet.source)
                deliver(packet, to: seat)
            case .waiting, .dropped, .turnedAway: break
            }
        case .rtcp:
            let verdict = room.receive(rtcp: packet)
            if verdict == .turnedAway { goodbyes.add(packet.source) }
            guard case .call(let seat) = verdict, let call = calls[seat] else { return }
            call.link.peer = LinkPeer(media: room.source(of: seat), control: packet.source)
            call.call.receive(rtcp: bytes, arrival: packet.arrival)
        default: room.noteGarbage()
        }
    }

    /// The packets before the proof were media too: no word is clipped.
    private mutating func deliver(_ packet: ReceivedPacket, to seat: Int) {
        guard let call = calls[seat]?.call else { return }
        for held in room.held {
            held.bytes.withUnsafeBytes { call.receive(rtp: $0, arrival: held.arrival) }
        }
        call.receive(rtp: UnsafeRawBufferPointer(packet.bytes), arrival: packet.arrival)
    }

    /// Those whose call is not over.
    var callsNow: Int { room.count - lingering.count }

    /// Why nobody new is let in now; `nil`: everybody is.
    private var refusal: PortRefusal? {
        if control.callsNow >= plan.parties { return .full }
        if isMemoryShort { return .resources }
        return load.admits(besides: callsNow) ? nil : .late
    }

    private mutating func begin(_ seat: Int, at source: SocketAddress, now: HostTime) {
        joinsLeft -= 1
        let began = clock.now()
        defer { joining += clock.now().milliseconds(since: began) }
        while calls.count <= seat { calls.append(nil) }
        // Another loop may have taken the last place meanwhile.
        guard let number = control.enter(limit: plan.parties) else { return room.turnAway(seat, .full) }
        let link = PortLink(port, peer: LinkPeer(media: source))
        var recording: PortRecording?
        if let recordings {
            do { recording = try recordings.open(number) } catch { tell(number, source, .warning("no recording: \(error)")) }
        }
        do {
            let call = try PortCall(
                number: number, configuration: configuration(of: number, isRecorded: recording != nil), link: link,
                recording: recording, now: now)
            call.call.limitComplexity(to: load.complexityOfNew)
            calls[seat] = call
            figures.callsInAll += 1
            isMemoryShort = memory.isShort
            tell(number, source, .began)
            seatAtWheel(seat, call)
        } catch {
            // What one call's settings do not allow no call's do: it was tried before the port was opened.
            recording?.end()
            letGo(seat)
            tell(number, source, .warning("no call: \(error)"))
        }
    }

    /// Who is neither echoed nor heard by others nor recorded is not listened to.
    private func configuration(of number: UInt64, isRecorded: Bool) -> CallConfiguration {
        var configuration = PortCall.configuration(plan.configuration, number: number)
        configuration.stream.isHeard = plan.sound != .announcement || isRecorded
        return configuration
    }

    private mutating func seatAtWheel(_ seat: Int, _ call: PortCall) {
        guard plan.sound == .conference else {
            return wheel.add(seat, everyMilliseconds: call.turnMilliseconds, after: Self.slotsBehindPackets)
        }
        // Where most are: who comes alone would hear nobody.
        let open = rooms.indices.filter { (rooms[$0]?.seats.count ?? Self.roomSize) < Self.roomSize }
        if let fullest = open.max(by: { (rooms[$0]?.seats.count ?? 0) < (rooms[$1]?.seats.count ?? 0) }) {
            call.room = fullest
        } else {
            let new = PortRoom(
                frameLength: call.call.frameLength, milliseconds: call.turnMilliseconds,
                levels: plan.configuration.stream.levels)
            call.room = rooms.firstIndex { $0 == nil } ?? rooms.count
            if call.room == rooms.count { rooms.append(new) } else { rooms[call.room] = new }
            wheel.add(Self.firstRoom - call.room, everyMilliseconds: new.milliseconds)
        }
        rooms[call.room]?.add(seat)
    }

    private mutating func move(_ seat: Int, to source: SocketAddress) {
        guard let call = calls[seat], let former = call.link.peer?.media, former != source else { return }
        call.link.peer = LinkPeer(media: source)
        tell(call.number, source, .call(.remoteMoved(from: former, to: source)))
    }

    // MARK: - Callers who go

    mutating func hangUp(_ seat: Int, _ reason: EndReason, now: HostTime) {
        guard let call = calls[seat] else { return }
        let ntp = clock.ntp()
        call.call.perform(.hangUp(reason), now: now, ntp: ntp)
        finishTurn(seat, call, now: now, ntp: ntp)
    }

    mutating func end(_ seat: Int, _ call: PortCall, _ reason: EndReason, now: HostTime) {
        for case .warning(let text) in call.takeNotices(now: now) {
            tell(call.number, room.source(of: seat), .warning(text))
        }
        tell(
            call.number, room.source(of: seat),
            .ended(reason, seconds: now.milliseconds(since: call.began) / 1000, call.figures))
        call.recording?.end()
        wheel.remove(seat)
        if plan.sound == .conference, let conference = rooms[call.room] {
            conference.remove(seat)
            if conference.seats.isEmpty {
                wheel.remove(Self.firstRoom - call.room)
                rooms[call.room] = nil
            }
        }
        calls[seat] = nil
        switch reason {
        case .remoteHangup, .mediaTimeout: letGo(seat)
        default: lingering.append(seat)
        }
    }

    mutating func letGo(_ seat: Int) {
        room.leave(seat)
        control.leave()
    }

    func tell(_ call: UInt64, _ remote: SocketAddress, _ body: PortEvent.Body) {
        control.events.post(PortEvent(call: call, remote: remote, body: body))
    }
}
