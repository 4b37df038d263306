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
            do throws(Problem) { try act(rules, on: record.id, in: core) } catch {
                logger.warning("the rule of \(record.account ?? "calls") cannot be followed: \(error.detail)")
            }
        }
    }

    /// Nobody has answered in time.
    private func act(_ rules: AccountRules, on id: String, in core: ServiceCore) throws(Problem) {
        guard let record = core.calls.record(id), record.state == .ringing, !record.wantsAnswer else { return }
        switch rules.unanswered {
        case .ring: break
        case .refuse: core.calls.live(id)?.hangUp(byDuration: false)
        case .answer: try answer(id, in: core)
        case .announce, .message: try attend(rules, id, in: core)
        case .forward: try forward(record, to: rules.forwardTo ?? "", in: core)
        }
    }

    private func answer(_ id: String, through bridge: CallBridge? = nil, in core: ServiceCore) throws(Problem) {
        _ = try core.calls.change(
            id,
            { (record) throws(Problem) in
                guard record.state == .ringing, !record.wantsAnswer else { throw .conflict("somebody has answered") }
                record.wantsAnswer = true
            }, { $0.answer(through: bridge) })
    }

    // MARK: A machine answers

    private func attend(_ rules: AccountRules, _ id: String, in core: ServiceCore) throws(Problem) {
        guard let live = core.calls.live(id) else { return }
        var greeting: [Float] = []
        if let path = rules.announcement {
            do {
                greeting = try AudioFileReader.samples(
                    path: path, rate: Attendant.rate, maximumSeconds: Attendant.longestSeconds)
            } catch { throw .conflict("\(error)") }
        }
        let shelf = rules.unanswered == .message ? try RecordingRoutes.shelf(core) : nil
        let place = try shelf.map { (shelf) throws(Problem) in try shelf.next(of: id, isMessage: true) }
        let attendant = Attendant(
            greeting: greeting, message: place?.path, longestSeconds: Double(rules.messageSeconds))
        do throws(SoftphoneError) { try core.changeEnd(live, .attendant(attendant), nil) } catch { throw Problem(error) }
        state.withLock { $0.attendants[id] = attendant }
        core.calls.note(.attendant(attendant), nil, recording: place?.name, of: id)
        attendant.start(
            onOver: { live.hangUp(byDuration: false) },
            onEnd: { [weak core] outcome in
                guard let core, let place, let shelf else { return }
                if case .message(let seconds) = outcome {
                    core.calls.note(message: place.name, seconds: seconds, of: id)
                } else if let item = shelf.item(place.name) {
                    _ = shelf.delete(item)
                }
            })
        do throws(Problem) { try answer(id, in: core) } catch {
            // Somebody was quicker, or the caller gave up.
            state.withLock { $0.attendants[id] = nil }
            attendant.finish()
            throw error
        }
    }

    // MARK: Somebody else is called

    private func forward(_ incoming: CallRecord, to target: String, in core: ServiceCore) throws(Problem) {
        try core.pace.admit(now: .monotonicNow())
        let bridge = CallBridge()
        let outgoing = try core.calls.open(
            .outgoing, account: incoming.account, to: target, audio: .call(incoming.id), bridge: bridge
        ) { (id) throws(SoftphoneError) in
            state.withLock { $0.forwards[id] = (incoming.id, bridge) }
            return try core.begin(target, incoming.account, .call(incoming.id), bridge)
        }
        // From now on both end together.
        core.calls.note(.call(outgoing.id), bridge, of: incoming.id)
    }

    // MARK: What calls tell

    func note(_ body: EventBody, of record: CallRecord, in core: ServiceCore) {
        switch body {
        case .callAnswered:
            if let forward = state.withLock({ $0.forwards.removeValue(forKey: record.id) }) {
                // Not on the thread of the call that was made.
                Task { [weak self, weak core] in
                    guard let self, let core else { return }
                    do throws(Problem) { try answer(forward.incoming, through: forward.bridge, in: core) } catch {
                        core.calls.live(record.id)?.hangUp(byDuration: false)
                    }
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
            let attendant = state.withLock { state in
                state.forwards[record.id] = nil
                return state.attendants.removeValue(forKey: record.id)
            }
            attendant?.finish()
        default: break
        }
    }

    private func attendant(_ id: String) -> Attendant? { state.withLock { $0.attendants[id] } }
}
