import Realtime
import Softphone

/// The tokens that browsers' calls were made by: such a call is a stream like others, and ends once its token does not allow it any more.
final class BrowserPermits: Sendable {
    private let holds = Lock<[String: Permit.Hold]>([:])

    /// - Parameters:
    ///   - id: of a call that has begun.
    ///   - permit: of the request that began it.
    ///   - calls: has the call.
    func bind(_ id: String, to permit: Permit, in calls: CallBook) {
        guard let live = calls.live(id) else { return }
        let hold = permit.hold(.operate) { live.hangUp(byDuration: false) }
        holds.withLock { $0[id] = hold }
        // It may have ended before anybody could be told.
        if calls.record(id)?.state == .ended { release(id) }
    }

    /// The call is over.
    func release(_ id: String) { _ = holds.withLock { $0.removeValue(forKey: id) } }
}
