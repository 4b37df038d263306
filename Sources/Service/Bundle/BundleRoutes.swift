import Dispatch
import Reporting
import Softphone

/// The route of bundles.
enum BundleRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("POST", "/v1/calls/{id}/bundle") { (service, request) async throws(Problem) in try await make(service, request) }
    ]

    /// One at a time: each has its captures in memory, and plays them.
    private static let queue = DispatchQueue(label: "yodel.bundle", qos: .utility)

    private static func make(_ service: ServiceCore, _ request: APIRequest) async throws(Problem) -> APIResponse {
        let hasSound = try BodyFields(request, known: ["sound"]).flag("sound") ?? false
        let id = request.parameters["id"] ?? ""
        guard let call = service.calls.record(id) else { throw .noCall(id) }
        let dialogs = try service.calls.dialogs(of: id)
        guard let findings = await service.check.findings() else { throw .draining(seconds: 1) }
        let bundle = CallBundle(
            call: call, configuration: request.role == .admin ? service.configuration() : nil,
            findings: findings.map(\.json), events: service.spool.events(of: id),
            figures: try service.calls.statistics(id), messages: service.ladder(dialogs).map(InsightRoutes.step),
            captures: try service.calls.captures(of: id), hasSound: hasSound)
        let redaction = service.redaction
        let bytes: [UInt8] = await withCheckedContinuation { continuation in
            queue.async {
                let time = Timestamp.now()
                continuation.resume(returning: bundle.archive(redaction, at: time).bytes(at: time))
            }
        }
        var response = APIResponse(200, contentType: "application/x-tar", .bytes(bytes))
        response.headers.append(("Content-Disposition", "attachment; filename=\"call-\(call.id).tar\""))
        return response
    }
}

extension EventSpool {
    /// The events of a call that are still there, oldest first; each without the call as it was then.
    /// - Parameter call: its id.
    /// - Returns: the events.
    func events(of call: String) -> [JSONValue] {
        var events: [JSONValue] = []
        var place: UInt64 = 0
        while true {
            let batch = read(after: place)
            guard let last = batch.items.last else { return events }
            place = last.id.sequence
            for item in batch.items where item.data.contains(call) {
                guard let value = try? JSONValue(reading: item.data), value.value(at: "call.id") == .string(call),
                    case .object(let members) = value
                else { continue }
                events.append(.object(members.filter { $0.name != "call" }))
            }
        }
    }
}
