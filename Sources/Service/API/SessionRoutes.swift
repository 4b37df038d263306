import Realtime

/// The route by which the page changes the secret of the first link for its session.
enum SessionRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("POST", "/v1/session", isOpen: true) { (service, request) throws(Problem) in
            guard let secret = try BodyFields(request, known: ["secret"]).text("secret", limit: 256) else {
                throw .badField("secret", "the secret is missing; write {\"secret\": \"...\"}, with what follows # in the link")
            }
            guard let door = service.firstDoor else {
                throw Problem(
                    409, "there is no first link",
                    "the service has a token already; open its page with #token=TOKEN behind the address")
            }
            try door.enter(secret, now: .monotonicNow())
            var response = APIResponse(204, contentType: "", .bytes([]))
            response.headers = [("Set-Cookie", SessionCookie.text(door.token, for: request))]
            return response
        }
    ]
}
