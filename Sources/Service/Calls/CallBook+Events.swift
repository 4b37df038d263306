import Reporting

/// What happens to calls, and who is told.
extension CallBook {
    /// Brings a call's events into its record and to the subscribers, and keys to its programs.
    func carry(_ id: String) {
        var told: [(CallRecord, EventBody)] = []
        var digits: [Character] = []
        let (hasEnded, programs) = state.withLock { state -> (Bool, CallPrograms?) in
            guard var entry = state.entries[id], let subscription = entry.subscription else { return (false, nil) }
            let was = entry.record.state
            for event in subscription.take().values {
                if case .dtmf(let digit, .received) = event.body { digits += digit }
                entry.record.take(event)
                counters.note(event, of: entry.record)
                // Figures are asked for instead.
                if case .stats = event.body { continue }
                publish(event.body, entry.record, time: event.time)
                told.append((entry.record, event.body))
            }
            state.entries[id] = entry
            guard was != .ended, entry.record.state == .ended else { return (false, entry.programs) }
            counters.noteEnd(entry.record)
            onKept(entry.record)
            state.ended.append(id)
            return (true, entry.programs)
        }
        for digit in digits { programs?.hear(digit: digit) }
        if hasEnded { onChange() }
        guard !told.isEmpty, let watcher = watcher.withLock({ $0 }) else { return }
        for (record, body) in told { watcher.told(record, body) }
    }

    func publish(_ body: EventBody, _ record: CallRecord, time: Timestamp) {
        publish(Event(body, callID: record.id, time: time).json, body.type, record)
    }

    func publish(_ type: String, _ record: CallRecord) {
        let value = JSONValue.object([
            JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("call_id", .string(record.id)),
        ])
        publish(value, type, record)
    }

    /// Tells that a recording was begun or ended by request, if one was; one that is just being begun is none yet.
    /// - Parameter former: the call as it was before.
    func publish(recordingAfter former: CallRecord, _ record: CallRecord) {
        let (was, now) = (former.recording ?? "", record.recording ?? "")
        guard was != now else { return }
        let type = now.isEmpty ? EventText.callRecordingEnded : EventText.callRecordingStarted
        var members = [
            JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("call_id", .string(record.id)), JSONMember("name", .string(now.isEmpty ? was : now)),
        ]
        if now.isEmpty { members.append(JSONMember("reason", .string("requested"))) }
        publish(.object(members), type, record)
    }

    /// Every event of a call has the whole call in it.
    func publish(_ value: JSONValue, _ type: String, _ record: CallRecord) {
        guard case .object(let members) = value else { return }
        spool.publish(type: type, .object(members + [JSONMember("call", record.json)]))
    }
}
