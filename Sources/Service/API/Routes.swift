import Reporting

/// Every route of the service; openapi.yaml beside this file describes each, held by a test.
package enum Routes {
    package static let all: [Route<ServiceCore>] =
        [
            Route("GET", "/healthz", isOpen: true) { _, _ in .json([JSONMember("alive", .boolean(true))].object) },
            Route("GET", "/readyz", isOpen: true) { service, _ in ready(service) },
            Route("GET", "/metrics") { service, _ in
                .text(ServiceFigures.text(service), contentType: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route("GET", "/v1/events") { (_, request) throws(Problem) in try events(request) },
        ] + AccountRoutes.all + RuleRoutes.all + InsightRoutes.all + BundleRoutes.all + MessageRoutes.all + DrainRoute.all
        + CheckRoute.all + LoadRoute.all
        + WebhookRoutes.all
        + CallRoutes.all + TransferRoute.all + AudioRoutes.all + ConferenceRoutes.all
        + RecordingRoutes.all + HistoryRoutes.all + ProgramRoutes.all
        + ConfigurationRoutes.all
        + BrowserRoutes.all + PageRoutes.all + SessionRoutes.all + DescriptionRoute.all + RelayRoute.all

    private static func ready(_ service: ServiceCore) -> APIResponse {
        let accounts = service.accounts.all
        let isReady = service.isReady
        var response = APIResponse.json(
            [
                JSONMember("ready", .boolean(isReady)), JSONMember("draining", .boolean(service.calls.isDraining)),
                JSONMember("accounts", .integer(accounts.count)),
                JSONMember("registered", .integer(accounts.count { $0.state == "registered" })),
            ].object, status: isReady ? 200 : 503)
        if !isReady { response.headers.append(("Retry-After", "\(CallBook.retrySeconds)")) }
        return response
    }

    private static func events(_ request: APIRequest) throws(Problem) -> APIResponse {
        var last: EventID?
        if let text = request.headers["last-event-id"], !text.isEmpty {
            guard let id = EventID(text) else {
                throw Problem(
                    400, "the request cannot be understood",
                    "'\(text.prefix(80))' is no event's id; send the last id as it came, or leave it out",
                    at: "Last-Event-ID")
            }
            last = id
        }
        return APIResponse(200, contentType: "text/event-stream", .events(after: last))
    }
}
