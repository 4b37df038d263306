import Link
import Realtime

/// Has requests answered, whatever they came by; strangers not too often.
final class RequestDesk: Sendable {
    private let bears: @Sendable (APIRequest) -> Bool
    private let permitted: @Sendable (APIRequest) -> Permit?
    private let route: @Sendable (APIRequest) async -> APIResponse
    private let budget = Lock(StrangerBudget())

    /// - Parameters:
    ///   - router: finds who answers.
    ///   - target: what its routes work on.
    init<Target: Sendable>(_ router: Router<Target>, _ target: Target) {
        bears = { router.isBearer($0) }
        permitted = { router.permit(of: $0) }
        route = { await router.answer($0, by: target) }
    }

    func isBearer(_ request: APIRequest) -> Bool { bears(request) }

    func permit(of request: APIRequest) -> Permit? { permitted(request) }

    /// What a request gets.
    func answer(_ request: APIRequest) async -> APIResponse {
        if !isBearer(request), let source = request.source {
            guard budget.withLock({ $0.take(source, now: .monotonicNow()) }) else { return Self.tooMany.response }
        }
        return await withTaskExecutorPreference(RequestThread()) { await route(request) }
    }

    private static let tooMany = Problem(
        429, "too many requests without the token",
        "from one address \(Int(StrangerBudget.perSecond)) a second are answered; send the token, or ask less often",
        retryAfterSeconds: 5)
}
