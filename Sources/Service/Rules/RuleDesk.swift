import AudioFiles
import Realtime
import Reporting
import Softphone

/// Does with calls that come what the rules of their accounts say. Any thread may call any function; none waits for a call.
package final class RuleDesk: Sendable {
    private struct State {
        var attendants: [String: Attendant] = [:]
        /// The call that waits for the answer of each call that is made for it.
        var forwards: [String: (incoming: String, bridge: CallBridge)] = [:]
        /// What was warned of last, and is still so.
        var warning: String?
    }

    private let state = Lock(State())
    private let rulesOf: @Sendable (String?) -> AccountRules

    /// Until the caller's first packet, a greeting waits so long at most, s.
    private static let patience = 2.0

    init(_ rulesOf: @escaping @Sendable (String?) -> AccountRules) { self.rulesOf = rulesOf }

    func rules(of account: String?) -> AccountRules { rulesOf(account) }

    /// Why somebody is not let in at all; `nil`: he is.
    func refusal(of from: String, account: String?) -> RefusalReason? {
        let rules = rulesOf(account)
        guard rules.admits(from) else { return .forbidden }
        return rules.unanswered == .refuse && rules.rings == 0 ? .declined : nil
    }

    /// A call rings.
    func came(_ record: CallRecord, in core: ServiceCore) {
        let rules = rulesOf(record.account)
        guard rules.unanswered != .ring else { return }
        Task { [weak self, weak core] in
            try? await Task.sleep(for: .seconds(Double(rules.rings) * AccountRules.ringSeconds))
            guard let self, let core else { return }
            do throws(Problem) {
                try act(rules, on: record.id, in: core)
                state.withLock { $0.warning = nil }
            } catch {
                warn("the rule of \(record.account ?? "calls") cannot be followed: \(error.detail)")
            }
        }
    }

    /// Whoever calls again and again does not fill the log.
    private func warn(_ text: String) {
        let isNew = state.withLock { state in
            defer { state.warning = text }
            return state.warning != text
        }
        if isNew { logger.warning("\(text)") }
    }

    /// Nobody has answered in time. A call that somebody has taken meanwhile is left alone.
    /// - Parameters:
    ///   - rules: of its account, as they were when it came.
    ///   - id: of the call.
    ///   - core: has the call.
    /// - Throws: why the rule cannot be followed. The call rings on, but for one whose forwarded call finds no place.
    package func act(_ rules: AccountRules, on id: String, in core: ServiceCore) throws(Problem) {
        guard let record = core.calls.record(id), record.waitsForRule else { return }
        switch rules.unanswered {
        case .ring: break
        case .refuse: take(id, in: core) { $0.hangUp(byDuration: false) }
        case .answer: take(id, in: core) { $0.answer(through: nil) }
        case .announce, .message: try attend(rules, id, in: core)
        case .forward: try forward(record, to: rules.forwardTo ?? "", in: core)
        }
    }

    /// Takes a call that nobody has taken.
    /// - Returns: whether nobody had.
    @discardableResult
    private func take(
        _ id: String, in core: ServiceCore, _ act: (any LiveCall) -> Void = { _ in }
    ) -> Bool { claim(id, in: core, { $0.ringing = .taken }, act) }

    /// - Parameter change: makes it the rule's, or refuses.
    private func claim(
        _ id: String, in core: ServiceCore, _ change: (inout CallRecord) throws(Problem) -> Void,
        _ act: (any LiveCall) -> Void = { _ in }
    ) -> Bool {
        let claimed = try? core.calls.change(
            id,
            { (record) throws(Problem) in
                guard record.waitsForRule else { throw .conflict("somebody has taken the call") }
                try change(&record)
            }, act)
        return claimed != nil
    }

    // MARK: A machine answers

    private func attend(_ rules: AccountRules, _ id: String, in core: ServiceCore) throws(Problem) {
        let greeting = try rules.announcement.map { (path) throws(Problem) in try Attendant.greeting(path) }
        let shelf = rules.unanswered == .message ? try RecordingRoutes.shelf(core) : nil
        let isOurs = claim(id, in: core) { (record) throws(Problem) in
            // Somebody is at it.
            guard !record.isChangingAudio else { throw .conflict("the call is just given another audio end") }
            (record.ringing, record.isChangingAudio) = (.taken, true)
        }
        guard isOurs, let live = core.calls.live(id) else { return }
        do throws(Problem) { try attend(rules, live, id, greeting, shelf, in: core) } catch {
            // A person may take it.
            _ = try? core.calls.change(id) { ($0.ringing, $0.isChangingAudio) = (.free, false) }
            throw error
        }
        live.answer(through: nil)
        // It was over before anybody was told.
        if core.calls.record(id)?.state == .ended { release(id) }
    }

    /// Has the machine be the audio end of a call that is the rule's.
    private func attend(
        _ rules: AccountRules, _ live: any LiveCall, _ id: String, _ greeting: SharedSamples?, _ shelf: RecordingShelf?,
        in core: ServiceCore
    ) throws(Problem) {
        let place = try shelf.map { (shelf) throws(Problem) in try shelf.next(of: id, isMessage: true) }
        @Sendable func discard() { if let place, let item = shelf?.item(place.name) { _ = shelf?.delete(item) } }
        let attendant = Attendant(
            greeting: greeting, message: place?.path, longestSeconds: Double(rules.messageSeconds),
            hasRoom: { [weak self] in
                guard let shortage = shelf?.shortage else { return true }
                self?.warn("a message was ended: \(shortage)")
                return false
            })
        do throws(SoftphoneError) { try core.changeEnd(live, .attendant(attendant), nil) } catch {
            discard()
            throw Problem(error)
        }
        state.withLock { $0.attendants[id] = attendant }
        core.calls.note(.attendant(attendant), nil, recording: place?.name, of: id)
        _ = try? core.calls.change(id) { $0.isChangingAudio = false }
        attendant.start(
            onOver: { [weak self, weak attendant] in
                // Not a call that has another audio end by now.
                if let attendant, self?.attendant(id) === attendant { live.hangUp(byDuration: false) }
            },
            onEnd: { [weak core] outcome in
                guard let core, let place else { return }
                if case .message(let seconds) = outcome {
                    core.calls.note(message: place.name, seconds: seconds, of: id)
                } else {
                    discard()
                }
            })
    }

    /// The machine that answered a call, if one did, is its audio end no more: what the caller has said until now is his message.
    func release(_ id: String) { state.withLock { $0.attendants.removeValue(forKey: id) }?.finish() }

    // MARK: Somebody else is called

    private func forward(_ incoming: CallRecord, to target: String, in core: ServiceCore) throws(Problem) {
        let bridge = CallBridge()
        var hasPlace = false
        let outgoing: CallRecord
        do throws(Problem) {
            outgoing = try core.pace.admit(now: .monotonicNow()) { () throws(Problem) -> CallRecord in
                try core.calls.open(
                    .outgoing, account: incoming.account, to: target, audio: .call(incoming.id), bridge: bridge
                ) { (id) throws(SoftphoneError) in
                    hasPlace = true
                    return try begin(target, for: incoming, as: id, bridge, in: core)
                }
            }
        } catch {
            // It would ring in vain, and hold a place for that: accounts may forward to each other.
            if !hasPlace, error.status == 503 { take(incoming.id, in: core) { $0.hangUp(byDuration: false) } }
            // A person may take it, or has.
            _ = try? core.calls.change(incoming.id) { if $0.rings { $0.ringing = .free } }
            throw error
        }
        // From now on both end together, unless a person has been quicker.
        let isNoted = core.calls.note(.call(outgoing.id), bridge, of: incoming.id) { $0.isForwarded(by: outgoing.id) }
        if !isNoted, core.calls.record(incoming.id)?.audio != .call(outgoing.id) {
            core.calls.live(outgoing.id)?.hangUp(byDuration: false)
        }
    }

    /// Makes the call by which another one is forwarded, where nobody has taken that meanwhile.
    private func begin(
        _ target: String, for incoming: CallRecord, as id: String, _ bridge: CallBridge, in core: ServiceCore
    ) throws(SoftphoneError) -> any LiveCall {
        let isOurs = claim(incoming.id, in: core, { $0.ringing = .forwarded(Ringing.Forward(call: id, audio: $0.audio)) })
        guard isOurs else { throw .request("somebody has taken the call") }
        state.withLock { $0.forwards[id] = (incoming.id, bridge) }
        do throws(SoftphoneError) { return try core.begin(target, incoming.account, .call(incoming.id), bridge) } catch {
            state.withLock { $0.forwards[id] = nil }
            throw error
        }
    }

    /// Whom a call was forwarded to has answered.
    private func connect(_ outgoing: String, _ forward: (incoming: String, bridge: CallBridge), in core: ServiceCore) {
        var isNoted = false
        do throws(Problem) {
            _ = try core.calls.change(
                forward.incoming,
                { (record) throws(Problem) in
                    guard record.isForwarded(by: outgoing) else { throw .conflict("somebody has taken the call") }
                    isNoted = record.audio == .call(outgoing)
                    (record.ringing, record.audio) = (.taken, .call(outgoing))
                }, { $0.answer(through: forward.bridge) })
        } catch {
            core.calls.live(outgoing)?.hangUp(byDuration: false)
            return
        }
        if !isNoted {
            core.calls.note(.call(outgoing), forward.bridge, of: forward.incoming) { $0.audio == .call(outgoing) }
        }
    }

    // MARK: What calls tell

    func note(_ body: EventBody, of record: CallRecord, in core: ServiceCore) {
        switch body {
        case .callAnswered:
            if let forward = state.withLock({ $0.forwards.removeValue(forKey: record.id) }) {
                // Not on the thread of the call that was made.
                Task { [weak self, weak core] in
                    if let core { self?.connect(record.id, forward, in: core) }
                }
            }
            guard let attendant = attendant(record.id) else { return }
            Task {
                try? await Task.sleep(for: .seconds(Self.patience))
                attendant.begin()
            }
        case .mediaStarted: attendant(record.id)?.begin()
        case .dtmf(let digit, .received): attendant(record.id)?.key(digit)
        case .callEnded:
            state.withLock { $0.forwards[record.id] = nil }
            release(record.id)
        default: break
        }
    }

    private func attendant(_ id: String) -> Attendant? { state.withLock { $0.attendants[id] } }
}
