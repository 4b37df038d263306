import Reporting
import Softphone

/// The route by which calls go to somebody else.
enum TransferRoute {
    static let all: [Route<ServiceCore>] = [
        Route("POST", "/v1/calls/{id}/transfer") { (service, request) throws(Problem) in try transfer(service, request) }
    ]

    private static func transfer(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let fields = try BodyFields(request, known: ["to", "call"])
        let (target, other) = (try fields.text("to"), try fields.text("call"))
        guard (target == nil) != (other == nil) else {
            throw .badField(
                "to", "say whom it goes to: {\"to\": \"sip:USER@HOST\"}, or {\"call\": ID} for another call's other side")
        }
        let id = request.parameters["id"] ?? ""
        let record = try service.calls.change(id) { (record) throws(Problem) in try CallRoutes.mustTalk(record) }
        guard let call = service.calls.live(id) else { throw .conflict("the call is over") }
        if let target {
            do throws(SoftphoneError) { try call.transfer(to: target) } catch { throw Problem(error) }
        } else if let other {
            try connect(call, id, with: other, service)
        }
        return .json((service.calls.record(id) ?? record).json, status: 202)
    }

    private static func connect(
        _ call: any LiveCall, _ id: String, with other: String, _ service: ServiceCore
    ) throws(Problem) {
        guard other != id else { throw .badField("call", "a call cannot be connected with itself; name another one") }
        guard service.calls.record(other) != nil else {
            throw .badField("call", "no call has the id '\(other.prefix(80))'; GET /v1/calls lists them")
        }
        guard let second = service.calls.live(other), let place = second.transferPlace else {
            throw .conflict("the call '\(other.prefix(80))' is not answered, over, or no call by SIP")
        }
        do throws(SoftphoneError) { try call.transfer(replacing: place) } catch { throw Problem(error) }
    }
}
