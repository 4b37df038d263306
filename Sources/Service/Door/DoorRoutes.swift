import Reporting
import Softphone

/// The routes of `yodel listen http://`: a page, and the call that it makes, in the form of WHIP (RFC 9725), with sound both ways.
package enum DoorRoutes {
    package static let all: [Route<BrowserVisit>] = page + call

    private static let page: [Route<BrowserVisit>] = PageRoutes.routes(html: PageFiles.doorHTML, script: PageFiles.doorFile)

    private static let call: [Route<BrowserVisit>] = [
        Route("POST", "/call") { (visit, request) async throws(Problem) in
            try BrowserRoutes.mustBe("application/sdp", request)
            let (id, answer) = try await visit.call(request.body, from: request.source)
            return BrowserRoutes.answered(answer, at: "/call/\(id)")
        },
        Route("GET", "/call/{id}") { (visit, request) throws(Problem) in
            .json(try visit.conversation(of: request).call.statistics(of: 0).json)
        },
        Route("PATCH", "/call/{id}") { (visit, request) throws(Problem) in try trickle(visit, request) },
        Route("DELETE", "/call/{id}") { (visit, request) throws(Problem) in
            try visit.conversation(of: request).call.hangUp(byDuration: false)
            return APIResponse(204, contentType: "", .bytes([]))
        },
    ]

    private static func trickle(_ visit: BrowserVisit, _ request: APIRequest) throws(Problem) -> APIResponse {
        let made = try visit.conversation(of: request)
        try BrowserRoutes.mustBe(BrowserRoutes.fragment, request)
        guard made.call.endReason(of: 0) == nil else { throw .conflict("the call is over") }
        do throws(SoftphoneError) { return BrowserRoutes.told(try made.trickle(request.body)) } catch {
            throw Problem(error)
        }
    }
}
