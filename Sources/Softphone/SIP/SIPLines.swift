import Glibc
import LiveMedia
import Media
import Metrics
import Realtime
import Reporting
import Signalling

/// A person's calls at one telephone: one is talked to, the other one rings or is held, or both are one conversation.
///
/// ```
/// desk ---> SIPLines --+-- SIPLiveCall 0 --+
///            active -->|                   +-- CallBridge, once there are two
///                      +-- SIPLiveCall 1 --+
/// ```
final class SIPLines: OwnedCall {
    private let phone: SIPPhone
    private let request: SIPRequest
    /// By their numbers; nil: it was over, and was closed, while another one went on.
    private var lines: [SIPLiveCall?] = []
    private var closed: [Int: ClosedCall] = [:]
    /// The one that is talked to; also one of the two that are joined.
    private var active = 0
    private let sound: CallBridge
    /// What is told beside the calls.
    private var notices: [EventBody] = []
    private var isMuted = false
    private var volume = 0
    /// Why nobody is waited for any more, where nobody has called.
    private var reason: Media.EndReason?
    private let isAlone: Bool

    /// Calls beside each other.
    private static let most = 2

    /// What stays of a call whose ports and media are given back.
    private struct ClosedCall {
        let reason: Media.EndReason?
        let failure: SoftphoneError?
        let statistics: CallStatistics
        let dialogs: [String]
        let captures: [String]
        let report: CallReport?

        /// - Parameter report: nil: nobody called or was called.
        init(_ line: SIPLiveCall, _ report: CallReport?) {
            (reason, failure, statistics) = (line.reason, line.failure, line.statistics)
            (dialogs, captures, self.report) = (line.dialogs, line.captures, report)
        }
    }

    init(_ phone: SIPPhone, _ request: SIPRequest) throws(SoftphoneError) {
        (self.phone, self.request, isAlone) = (phone, request, false)
        sound = CallBridge(at: request.media)
        guard case .call = request.purpose else { return }
        lines = [SIPLiveCall(phone, request, events: try phone.newLine())]
    }

    /// One call alone, whose owner looks after the desk and has other calls elsewhere.
    init(_ phone: SIPPhone, of call: SIPLiveCall, _ request: SIPRequest) {
        (self.phone, self.request, isAlone) = (phone, request, true)
        sound = CallBridge(at: request.media)
        call.isOneOfMany = true
        lines = [call]
    }

    var parties: Int { max(1, lines.count) }
    var wasCall: Bool { calls.contains { $0.wasCall } || closed.values.contains { $0.report != nil } }
    var failure: SoftphoneError? { lines.indices.compactMap { line($0)?.failure ?? closed[$0]?.failure }.first }
    var eventDescriptors: [Int32] {
        (isAlone ? [] : [phone.switchboard.desk.signal.fileDescriptor]) + calls.flatMap(\.eventDescriptors)
    }

    var nextDeadline: HostTime? { calls.compactMap(\.nextDeadline).min() }
    /// A telephone that nobody calls sleeps.
    var isLookedAfter: Bool { !lines.isEmpty }

    func endReason(of party: Int) -> Media.EndReason? {
        if let line = line(party) { return line.reason }
        return closed[party]?.reason ?? reason
    }

    func statistics(of party: Int) -> CallStatistics {
        line(party)?.statistics ?? closed[party]?.statistics ?? CallStatistics()
    }

    private func line(_ party: Int) -> SIPLiveCall? { lines.indices.contains(party) ? lines[party] : nil }
    private var calls: [SIPLiveCall] { lines.compactMap(\.self) }
    /// Calls that are not over.
    private var living: [Int] { lines.indices.filter { lines[$0] != nil && lines[$0]?.reason == nil } }
    /// The living call beside the one that is talked to.
    private var other: Int? { living.first { $0 != active } }
    /// The caller who is answered or refused next.
    private var ringing: Int? { living.first { isRinging($0) } }
    private func isRinging(_ party: Int) -> Bool { line(party)?.isRinging == true }
    private func isAnswered(_ party: Int) -> Bool { line(party)?.isAnswered == true }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        for event in isAlone ? [] : phone.switchboard.desk.takeAll() {
            logger.trace("event \(event)")
            take(event)
        }
        var events = notices.map { (party: 0, body: $0) }
        notices = []
        for (party, line) in lines.enumerated() {
            guard let line else { continue }
            line.isBesideAnother = living.count > 1 && party != active
            events += line.takeEvents().map { (party, $0) }
        }
        if line(active)?.reason != nil, let other { goOn(with: other) }
        return living.isEmpty ? events : events + closeOver()
    }

    /// Who is left over is who is talked to. Held it stays until the person takes it up; whom we only call was held for the
    /// other one's sake, and is talked to once he answers.
    private func goOn(with party: Int) {
        active = party
        if let line = line(party), line.wantsHold, !line.isAnswered { line.setHeld(false) }
    }

    /// Closes calls that are over while another one goes on: their ports and the device are for others.
    /// - Returns: what they still had to tell.
    private func closeOver() -> [(party: Int, body: EventBody)] {
        var events: [(party: Int, body: EventBody)] = []
        for (party, line) in lines.enumerated() {
            // Who is told that it is busy hears it.
            guard let line, line.reason != nil, line.tone?.isOver != false else { continue }
            let report = line.close()
            events += line.takeEvents().map { (party, $0) }
            closed[party] = ClosedCall(line, report)
            lines[party] = nil
        }
        return events
    }

    // MARK: - What belongs to no call yet

    private func take(_ event: CallSignallingEvent) {
        switch event {
        case .incoming(let id, let facts): incoming(id, facts)
        case .registration(let change): registration(change)
        case .warning(_, let text): notices.append(.warning(text))
        default: if let body = EventBody(notice: event) { notices.append(body) }
        }
    }

    /// Somebody calls: it rings, beside a call as well. Who answers by itself has one call at a time.
    private func incoming(_ id: SignalledCallID, _ facts: CallerFacts) {
        guard case .listen = request.purpose, reason == nil, let events = phone.switchboard.line(id),
            living.count < (request.answersByItself ? 1 : Self.most),
            // The program goes on to the next call once these are over.
            lines.isEmpty || !living.isEmpty
        else { return phone.refuse(id, .busy) }
        let isFirst = lines.isEmpty
        let line = SIPLiveCall(phone, isFirst ? request : request.following(), events: events)
        if isFirst { active = 0 } else { line.share(sound) }
        line.setMuted(isMuted)
        line.setVolume(decibels: volume)
        lines.append(line)
    }

    private func registration(_ change: RegistrationChange) {
        notices.append(.registration(RegistrationReport(change)))
        if change.state == .registered { phone.hasRegistered.store(true, ordering: .relaxed) }
        // What the server has once accepted is tried again; a first refusal wants a person.
        guard lines.isEmpty, change.state == .failed, !phone.hasRegistered.load(ordering: .relaxed),
            let failure = change.failure
        else { return }
        switch failure {
        case .authentication, .certificate: settle(.authentication, code: change.sipCode, text: change.reason)
        case .refused: settle(.refused, code: change.sipCode, text: change.reason)
        case .network, .server: break
        }
    }

    /// Nobody is waited for any more.
    private func settle(_ cause: Media.EndReason, code: Int? = nil, text: String? = nil) {
        guard lines.isEmpty, reason == nil else { return }
        reason = cause
        notices.append(.callEnded(reason: cause.rawValue, durationSeconds: nil, sipCode: code, explanation: text))
    }

    // MARK: - What a person does with the call that is talked to

    func answer(through bridge: CallBridge?) {
        // Who is answered at once may not have been heard of here.
        for line in calls { line.takeSignalling() }
        guard let ringing else { return }
        // Whoever rings too is not talked to.
        if let talking = living.first(where: { $0 != ringing && !isRinging($0) }) {
            line(talking)?.share(sound)
            line(talking)?.setHeld(true)
        }
        active = ringing
        line(ringing)?.answer(through: bridge)
    }

    func setHeld(_ held: Bool) { line(active)?.setHeld(held) }
    var isHeld: Bool { line(active)?.media.hold.byUs == true }
    func send(digit: Character) { line(active)?.send(digit: digit) }

    func send(text: String) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is nobody to send a text to") }
        try line.send(text: text)
    }

    func setMuted(_ muted: Bool) {
        isMuted = muted
        for line in calls { line.setMuted(muted) }
    }

    func setVolume(decibels: Int) {
        volume = decibels
        for line in calls { line.setVolume(decibels: decibels) }
    }

    func hangUp(byDuration: Bool) {
        for party in living { line(party)?.hangUp(byDuration: byDuration) }
        settle(byDuration ? .duration : .localHangup)
    }

    func leave() {
        for party in living { line(party)?.leave() }
        settle(.localHangup)
    }

    // MARK: - What a person does with two calls

    func dial(_ target: String) throws(SoftphoneError) {
        guard !isAlone, let talking = living.first.flatMap({ self.line($0) }), talking.isAnswered else {
            throw .state("a second call begins beside one that is answered; wait until it is")
        }
        guard living.count < Self.most else {
            throw .state("there are two calls already; hang up one of them, or join them")
        }
        var second = request.following()
        second.purpose = .call(CallTarget.completed(target, account: request.account?.uri))
        try second.check()
        let line = SIPLiveCall(phone, second, events: try phone.newLine())
        line.share(sound)
        talking.share(sound)
        talking.setHeld(true)
        line.setMuted(isMuted)
        line.setVolume(decibels: volume)
        lines.append(line)
        active = lines.count - 1
    }

    func switchCalls() throws(SoftphoneError) {
        guard let next = living.first(where: { $0 != active && isAnswered($0) }) ?? living.first(where: { $0 == active })
        else { throw .request("there is no other call") }
        // Also whom we call: else he would join the conversation by his answer.
        for party in living where party != next && !isRinging(party) { line(party)?.setHeld(true) }
        line(next)?.setHeld(false)
        active = next
    }

    func join() throws(SoftphoneError) {
        let talking = living.filter { isAnswered($0) }
        guard talking.count == Self.most else { throw .state("a conference wants two calls that are answered") }
        for party in talking { line(party)?.setHeld(false) }
        notices.append(.callsJoined(parties: talking.count))
    }

    func hangUpActive() -> Bool {
        guard let other, living.count > 1 else { return false }
        let gone = ringing ?? active
        line(gone)?.hangUp(byDuration: false)
        // Whoever was in the conference stays, and who was held is held.
        if gone == active { goOn(with: other) }
        return true
    }

    func transfer(to target: String) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is no call to be transferred") }
        guard target.isEmpty else { return try line.transfer(to: target) }
        guard let second = other.flatMap({ self.line($0) }), second.isAnswered else {
            throw .request("there is no other call to connect this one with; say whom it goes to")
        }
        try line.transfer(replacing: second)
    }

    func record(to path: String?) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is no call to be recorded") }
        try line.media.record(to: path)
    }

    func take(_ sound: CallSound) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is no call whose audio end could change") }
        try line.take(sound)
    }

    var dialogs: [String] { lines.indices.flatMap { line($0)?.dialogs ?? closed[$0]?.dialogs ?? [] } }
    var captures: [String] { lines.indices.flatMap { line($0)?.captures ?? closed[$0]?.captures ?? [] } }

    func listen(at tap: CallTap?) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is no call to be listened to") }
        line.media.listen(at: tap)
    }

    var transferPlace: TransferPlace? { line(active)?.transferPlace }

    func transfer(replacing place: TransferPlace) throws(SoftphoneError) {
        guard let line = line(active) else { throw .request("there is no call to be transferred") }
        try line.transfer(replacing: place)
    }

    func close() -> [(party: Int, report: CallReport)] {
        settle(.localHangup)
        return lines.indices.compactMap { party in
            let report: CallReport? = line(party).map { $0.close() } ?? closed[party]?.report
            return report.map { (party: party, report: $0) }
        }
    }
}
