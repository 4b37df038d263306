import Codecs
import Reporting
import Settings
import Softphone
import TestPrograms

/// One of us who waits at a port of its own and answers.
struct Listener {
    let uri: String
    let phone: SIPPhone
    let request: SIPRequest
    let call: Followed

    init() throws {
        uri = "sip:127.0.0.1:\(try freePort())"
        let media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        var request = SIPRequest(.listen(uri), codecs: [.pcmu], media: media)
        request.answersByItself = true
        self.request = request
        phone = try Softphone().connect(request)
        call = try Followed(of: try phone.nextCall(request))
    }

    func close() {
        _ = call.close()
        phone.close()
    }
}

/// One of us who calls.
struct Caller {
    let phone: SIPPhone
    let call: Followed

    init(_ uri: String, _ traversal: NATTraversal = NATTraversal(), digits: String = "") throws {
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        (media.traversal, media.digits) = (traversal, digits)
        let request = SIPRequest(.call(uri), codecs: [.pcmu], media: media)
        phone = try Softphone().connect(request)
        call = try Followed(of: try phone.nextCall(request))
    }

    func close() -> [CallReport] {
        defer { phone.close() }
        return call.close()
    }
}

/// Waits until the first party of a call is heard from now on.
func heard(_ side: Followed) throws {
    let before = side.call.statistics(of: 0).packetsReceived ?? 0
    try side.wait("it hears") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > before + 20 }
}
