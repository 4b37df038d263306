import Diagnosis
import Dispatch
import Realtime
import Reporting

/// What is wrong with the machine, the configuration or the servers: the findings of `yodel check`, of the service that runs.
///
/// One look at a time: whoever asks meanwhile gets the findings of the one under way.
package final class CheckDesk: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<[Finding]?, Never>] = []
        var isBusy = false
        var isOver = false
        /// `nil`: nobody has looked yet.
        var last: [Finding]?
    }

    private let state = Lock(State())
    private let look: @Sendable () -> [Finding]

    /// - Parameter look: blocks for some seconds; it is run on a thread of its own.
    package init(_ look: @escaping @Sendable () -> [Finding]) { self.look = look }

    /// - Parameter takesLast: whether what was found last will do.
    /// - Returns: what is found now, or was; `nil`: the service has ended meanwhile.
    package func findings(takesLast: Bool = false) async -> [Finding]? {
        if takesLast, let last = state.withLock({ $0.last }) { return last }
        return await withCheckedContinuation { continuation in
            let (isOver, begins) = state.withLock { state -> (Bool, Bool) in
                guard !state.isOver else { return (true, false) }
                state.waiting.append(continuation)
                defer { state.isBusy = true }
                return (false, !state.isBusy)
            }
            if isOver { continuation.resume(returning: nil) }
            if begins { begin { _ in } }
        }
    }

    /// The service ends: nobody waits for a look any more, since the last answers go out before it is over.
    package func finish() {
        let waiting = state.withLock { state in
            defer { (state.isOver, state.waiting) = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    /// Looks without anybody waiting.
    /// - Parameter onEnd: gets what was found; not called where a look is under way.
    package func begin(_ onEnd: @escaping @Sendable ([Finding]) -> Void) {
        state.withLock { $0.isBusy = true }
        DispatchQueue.global(qos: .utility).async { [self] in
            let findings = look()
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isBusy, state.last) = ([], false, findings) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: findings) }
            onEnd(findings)
        }
    }
}

extension AccountBook.Record {
    /// The registrar's word, as a finding.
    var finding: Finding {
        Finding(
            account: name, isRegistered: state == "registered", detail: report?.reason ?? "the registrar has not answered yet")
    }
}

/// The route of findings.
enum CheckRoute {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/check") { (service, request) async throws(Problem) in try await look(service, request) }
    ]

    private static func look(_ service: ServiceCore, _ request: APIRequest) async throws(Problem) -> APIResponse {
        for name in request.query.keys where name != "last" {
            throw .badField(name, "the query has no '\(name.prefix(80))'; there is last")
        }
        let last = request.query["last"] ?? "false"
        guard last == "true" || last == "false" else { throw .badField("last", "'last' is true or false") }
        guard let found = await service.check.findings(takesLast: last == "true") else { throw .draining(seconds: 1) }
        let findings = found + service.accounts.all.map(\.finding)
        let worst =
            findings.contains { $0.grade == .trouble }
            ? Finding.Grade.trouble
            : findings.contains { $0.grade == .advice } ? .advice : .fine
        return .json(
            [
                JSONMember("grade", .string(worst.rawValue)), JSONMember("findings", .array(findings.map(\.json))),
            ].object)
    }
}
