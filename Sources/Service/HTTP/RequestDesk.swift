import Link
import Realtime

/// Has requests answered, whatever they came by; strangers not too often.
final class RequestDesk: Sendable {
    private let router: Router<ServiceCore>
    private let core: ServiceCore
    private let budget = Lock(StrangerBudget())

    init(_ router: Router<ServiceCore>, _ core: ServiceCore) { (self.router, self.core) = (router, core) }

    func isBearer(_ request: APIRequest) -> Bool { router.isBearer(request) }

    func permit(of request: APIRequest) -> Permit? { router.permit(of: request) }

    /// What a request gets.
    func answer(_ request: APIRequest) async -> APIResponse {
        if !isBearer(request), let source = request.source {
            guard budget.withLock({ $0.take(source, now: .monotonicNow()) }) else { return Self.tooMany.response }
        }
        return await router.answer(request, by: core)
    }

    private static let tooMany = Problem(
        429, "too many requests without the token",
        "from one address \(Int(StrangerBudget.perSecond)) a second are answered; send the token, or ask less often",
        retryAfterSeconds: 5)
}
