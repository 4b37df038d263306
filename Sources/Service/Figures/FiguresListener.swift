import Link
import Reporting

/// What answers where figures alone are to be had: `/metrics` and the two questions of health, without a token, and nothing else.
package enum FiguresListener {
    static let routes: [Route<ServiceCore>] = Routes.all.filter { ["/metrics", "/healthz", "/readyz"].contains($0.template) }
        .map { Route($0.method, $0.template, isOpen: true, $0.handler) }

    /// Nobody bears its token, for nobody knows it.
    package static func router(at address: IPAddress) -> Router<ServiceCore> {
        Router(routes, gate: Gate(token: Gate.newToken(), isOnLoopback: address.isLoopback))
    }
}
