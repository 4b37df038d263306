import Diagnosis
import Dispatch
import Realtime
import Reporting

/// What is wrong with the machine, the configuration or the servers: the findings of `yodel check`, of the service that runs.
///
/// One look at a time: whoever asks meanwhile gets the findings of the one under way.
package final class CheckDesk: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<[Finding], Never>] = []
        var isBusy = false
        /// `nil`: nobody has looked yet.
        var last: [Finding]?
    }

    private let state = Lock(State())
    private let look: @Sendable () -> [Finding]

    /// - Parameter look: blocks for some seconds; it is run on a thread of its own.
    package init(_ look: @escaping @Sendable () -> [Finding]) { self.look = look }

    /// - Parameter takesLast: whether what was found last will do.
    /// - Returns: what is found now, or was.
    package func findings(takesLast: Bool = false) async -> [Finding] {
        if takesLast, let last = state.withLock({ $0.last }) { return last }
        return await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if begins { begin { _ in } }
        }
    }

    /// Looks without anybody waiting.
    /// - Parameter onEnd: gets what was found; not called where a look is under way.
    package func begin(_ onEnd: @escaping @Sendable ([Finding]) -> Void) {
        state.withLock { $0.isBusy = true }
        DispatchQueue.global(qos: .utility).async { [self] in
            let findings = look()
            let waiting = state.withLock { state in
                defer { state = State(last: findings) }
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
        let findings = await service.check.findings(takesLast: last == "true") + service.accounts.all.map(\.finding)
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
