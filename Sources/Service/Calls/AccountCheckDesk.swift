import Dispatch
import Realtime
import Softphone

/// Looks at accounts' registrars step by step, as `yodel accounts --check` does: one look an account at a time.
package final class AccountCheckDesk: Sendable {
    /// Each takes a thread and sockets.
    package static let most = 8

    private let running = Lock<Set<String>>([])
    private let look: @Sendable (String) throws(SoftphoneError) -> AccountCheck

    /// - Parameter look: blocks until the registrar has answered, or has not in time.
    init(_ look: @escaping @Sendable (String) throws(SoftphoneError) -> AccountCheck) { self.look = look }

    func check(_ account: String) async throws(Problem) -> AccountCheck {
        let begins = running.withLock { $0.count < Self.most && $0.insert(account).inserted }
        guard begins else {
            throw Problem(
                409, "accounts are being looked at",
                "a look at '\(account.prefix(80))', or \(Self.most) others, are under way; ask again in some seconds")
        }
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            // Of its own: whoever waits for a registrar keeps no other work from a thread.
            DispatchQueue(label: "yodel.account-check").async { [look] in
                let outcome: Outcome
                do throws(SoftphoneError) { outcome = .success(try look(account)) } catch { outcome = .failure(error) }
                continuation.resume(returning: outcome)
            }
        }
        running.withLock { _ = $0.remove(account) }
        do throws(SoftphoneError) { return try outcome.get() } catch {
            throw Problem(503, "the account cannot be looked at", error.description, retryAfterSeconds: 5)
        }
    }

    private typealias Outcome = Result<AccountCheck, SoftphoneError>
}
