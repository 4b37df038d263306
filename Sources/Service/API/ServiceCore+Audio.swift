import Softphone

/// Audio ends of calls: what a request names, and calls that hear each other.
extension ServiceCore {
    /// Where a call with that end hears others.
    struct Place {
        /// `nil`: nowhere.
        var bridge: CallBridge?
        /// The call that is to be taken to the bridge too; `nil`: it is there, or none is.
        var partner: String?
    }

    func place(of audio: AudioEnd, for id: String? = nil) throws(Problem) -> Place {
        switch audio {
        case .handset(let handset): return Place(bridge: try calls.bridge(of: handset))
        case .conference(let conference): return Place(bridge: try conferences.bridge(of: conference))
        case .call(let other):
            guard other != id else { throw .badField("audio.call", "a call cannot be its own audio end; name another one") }
            guard let record = calls.record(other), record.state != .ended else {
                throw .badField("audio.call", "no call that runs has the id '\(other.prefix(80))'; GET /v1/calls lists them")
            }
            if let bridge = calls.sharedBridge(of: other) { return Place(bridge: bridge) }
            guard record.kind == .sip else {
                throw .badField("audio.call", "'\(other.prefix(80))' is a browser's call; name it as the handset")
            }
            return Place(bridge: CallBridge(), partner: other)
        default: return Place()
        }
    }

    /// An audio end whose files have their names.
    private func settled(_ audio: AudioEnd, for id: String) throws(Problem) -> (audio: AudioEnd, recording: String?) {
        guard case .record = audio else { return (audio, nil) }
        let (path, name) = try RecordingRoutes.shelf(self).next(of: id)
        return (.record(path: path), name)
    }

    /// Calls somebody.
    func call(_ target: String, account: String?, audio: AudioEnd?) throws(Problem) -> CallRecord {
        let wish = (audio ?? audioOfAccount(account)).forOneCall
        let place = try place(of: wish)
        if case .record = wish { _ = try RecordingRoutes.shelf(self) }
        if let partner = place.partner { try claimAudio(of: partner) }
        defer { if let partner = place.partner { letGoOfAudio(of: partner) } }
        let record = try pace.admit(now: .monotonicNow()) { () throws(Problem) -> CallRecord in
            try calls.open(
                .outgoing, account: account, to: target, audio: wish, bridge: place.bridge
            ) { (id) throws(SoftphoneError) in
                // A file gets its name once there is a call: until then nothing is recorded.
                if case .record = wish { return try begin(target, account, .silence, nil) }
                return try begin(target, account, wish, place.bridge)
            }
        }
        do throws(Problem) {
            if case .record = wish { return try changeAudio(of: record.id, to: wish) }
            try join(place, with: record.id)
        } catch {
            calls.live(record.id)?.hangUp(byDuration: false)
            throw error
        }
        if place.bridge != nil { calls.lookAgain() }
        let made = calls.record(record.id) ?? record
        lookAtConferences(made)
        return made
    }

    /// Tells who is in the conferences that a call has come to or left. Where one has ended while the call was on its way there, the
    /// call ends too: nobody would ever be there.
    func lookAtConferences(_ record: CallRecord, left former: AudioEnd? = nil) {
        for end in [former, record.audio] {
            if case .conference(let id)? = end { conferences.look(id) { calls.records } }
        }
        if case .conference(let id) = record.audio, record.state != .ended, !conferences.has(id) {
            calls.live(record.id)?.hangUp(byDuration: false)
        }
    }

    /// Has nobody else change a call's audio end, or begin to record it, until `letGoOfAudio`. Otherwise one of the two would undo
    /// what is noted of the other.
    /// - Returns: the audio end that it has.
    @discardableResult
    private func claimAudio(of id: String) throws(Problem) -> AudioEnd? {
        var former: AudioEnd?
        _ = try calls.change(id) { (record) throws(Problem) in
            guard record.state != .ended else { throw .conflict("the call is over") }
            guard record.kind == .sip else {
                throw .conflict("a browser's call keeps its audio end; have the calls that it is the handset of change theirs")
            }
            guard !record.isChangingAudio else {
                throw .conflict("the call '\(id)' is just given another audio end; ask again when it has that")
            }
            guard !record.isBeginningRecording else {
                throw .conflict("a recording of the call '\(id)' is just being begun; ask again when it has begun")
            }
            record.isChangingAudio = true
            former = record.audio
        }
        return former
    }

    private func letGoOfAudio(of id: String) { _ = try? calls.change(id) { $0.isChangingAudio = false } }

    /// Gives a call another audio end, whatever its state.
    func changeAudio(of id: String, to wish: AudioEnd) throws(Problem) -> CallRecord {
        let former = try claimAudio(of: id)
        defer { letGoOfAudio(of: id) }
        guard let live = calls.live(id) else { throw .conflict("the call is over") }
        let place = try place(of: wish, for: id)
        if let partner = place.partner { try claimAudio(of: partner) }
        defer { if let partner = place.partner { letGoOfAudio(of: partner) } }
        let (audio, recording) = try settled(wish.forOneCall, for: id)
        do throws(SoftphoneError) { try changeEnd(live, audio, place.bridge) } catch {
            if let recording, let shelf = try? RecordingRoutes.shelf(self), let item = shelf.item(recording) {
                _ = shelf.delete(item)
            }
            throw Problem(error)
        }
        calls.note(audio, place.bridge, recording: recording, of: id)
        rules.release(id)
        try join(place, with: id)
        guard let record = calls.record(id) else { throw .noCall(id) }
        lookAtConferences(record, left: former)
        return record
    }

    /// Takes the other call to the place of the first one.
    private func join(_ place: Place, with id: String) throws(Problem) {
        guard let other = place.partner, let bridge = place.bridge else { return }
        guard let live = calls.live(other) else { throw .conflict("the call '\(other.prefix(80))' is over") }
        do throws(SoftphoneError) { try changeEnd(live, .call(id), bridge) } catch { throw Problem(error) }
        calls.note(.call(id), bridge, of: other)
    }
}
