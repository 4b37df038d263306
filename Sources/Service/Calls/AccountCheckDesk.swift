import Dispatch
import Realtime
import Softphone

/// Looks at accounts' registrars step by step, as `yodel accounts --check` does: one look an account at a time.
package final class AccountCheckDesk: Sendable {
    /// Each takes a thread and sockets.
    package static let most = 8

    private struct State {
        /// Accounts that are looked at.
        var running: Set<String> = []
        /// Whoever waits for the look at an account.
        var waiting: [String: CheckedContinuation<Outcome?, Never>] = [:]
        var isOver = false
    }

    private let state = Lock(State())
    private let look: @Sendable (String) throws(SoftphoneError) -> AccountCheck

    /// - Parameter look: blocks until the registrar has answered, or has not in time.
    init(_ look: @escaping @Sendable (String) throws(SoftphoneError) -> AccountCheck) { self.look = look }

    func check(_ account: String) async throws(Problem) -> AccountCheck {
        let begins = state.withLock { $0.running.count < Self.most && $0.running.insert(account).inserted }
        guard begins else {
            throw Problem(
                409, "accounts are being looked at",
                "a look at '\(account.prefix(80))', or \(Self.most) others, are under way; ask again in some seconds")
        }
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome?, Never>) in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting[account] = continuation }
                return state.isOver
            }
            guard !isOver else { return continuation.resume(returning: nil) }
            // Of its own: whoever waits for a registrar keeps no other work from a thread.
            DispatchQueue(label: "yodel.account-check").async { [self] in
                let outcome: Outcome
                do throws(SoftphoneError) { outcome = .success(try look(account)) } catch { outcome = .failure(error) }
                let waiting = state.withLock { state in
                    state.running.remove(account)
                    return state.waiting.removeValue(forKey: account)
                }
                waiting?.resume(returning: outcome)
            }
        }
        guard let outcome else { throw .draining(seconds: 1) }
        do throws(SoftphoneError) { return try outcome.get() } catch {
            throw Problem(503, "the account cannot be looked at", error.description, retryAfterSeconds: 5)
        }
    }

    /// The service ends: nobody waits for a look any more, since the last answers go out before it is over.
    package func finish() {
        let waiting = state.withLock { state in
            defer { (state.isOver, state.waiting) = (true, [:]) }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    private typealias Outcome = Result<AccountCheck, SoftphoneError>
}
