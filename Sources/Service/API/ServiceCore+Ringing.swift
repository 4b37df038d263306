import Softphone

/// Calls that ring here, and persons who take them.
extension ServiceCore {
    /// Answers a call that rings here.
    /// - Parameters:
    ///   - id: of the call.
    ///   - audio: a handset; `nil`: the audio end that it was to have.
    ///   - check: refuses.
    /// - Returns: the call as it is then.
    func answer(
        _ id: String, audio: AudioEnd?, _ check: (CallRecord) throws(Problem) -> Void
    ) throws(Problem) -> CallRecord {
        let bridge = try audio.map { (audio) throws(Problem) in try place(of: audio).bridge } ?? nil
        let name = audio?.partner.flatMap { calls.record($0)?.name }
        var former: AudioEnd?
        var forward: (unwanted: String, former: AudioEnd?)?
        _ = try calls.change(id) { (record) throws(Problem) in
            try check(record)
            if audio != nil, !record.handsets.isEmpty, !record.handsets.contains(name ?? "") {
                throw .conflict("the call rings at \(record.handsets.joined(separator: ", ")), not at this handset")
            }
            former = record.audio
            forward = record.take()
            if let audio { record.audio = audio }
        }
        guard let live = calls.live(id) else { throw .conflict("the call is over") }
        if audio == nil, let former = forward?.former { giveBack(former, to: id, live) }
        if let forward { calls.live(forward.unwanted)?.hangUp(byDuration: false) }
        live.answer(through: bridge)
        if let audio, bridge != nil { calls.note(audio, bridge, of: id) }
        guard let record = calls.record(id) else { throw .noCall(id) }
        lookAtConferences(record, left: former)
        return record
    }

    /// Gives a call the audio end that it had before its rule forwarded it.
    private func giveBack(_ former: AudioEnd, to id: String, _ live: any LiveCall) {
        let audio = former.forOneCall
        do throws(SoftphoneError) {
            // Its line to a program is over: it has a new one.
            if audio.line != nil { try changeEnd(live, audio, nil) }
        } catch {
            logger.error("a call that was forwarded cannot have its audio end back: \(error)")
        }
        calls.note(audio, nil, of: id)
    }
}
