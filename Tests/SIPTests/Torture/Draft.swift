/// A message of our own making, from which the table's messages differ in one point each.
struct Draft {
    var method = "OPTIONS"
    var target = "sip:me@192.0.2.1"
    var startLine: String?
    var via: [String] = ["SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bKdraft;rport"]
    var from: String? = "<sip:peer@example.com>;tag=draft"
    var to: String? = "<sip:me@example.com>"
    var callID: String? = "draft@192.0.2.9"
    var cSeq: String?
    var maxForwards: String? = "70"
    var contact: [String] = []
    /// Lines as they stand, each with its line end.
    var extra = ""
    var contentLength: String?
    var body = ""
    var end = "\n"

    init(_ method: String = "OPTIONS", _ change: (inout Draft) -> Void = { _ in }) {
        self.method = method
        if method == "INVITE" {
            contact = ["<sip:peer@192.0.2.9>"]
            extra = "Content-Type: application/sdp\n"
            body = "v=0\no=- 1 1 IN IP4 192.0.2.9\ns=-\nc=IN IP4 192.0.2.9\nt=0 0\nm=audio 4000 RTP/AVP 0\n"
        }
        change(&self)
    }

    static func response(_ line: String, _ change: (inout Draft) -> Void = { _ in }) -> Draft {
        Draft("OPTIONS") { draft in
            draft.startLine = line
            draft.maxForwards = nil
            draft.via = ["SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKnobody"]
            change(&draft)
        }
    }

    var bytes: [UInt8] {
        var text = (startLine ?? "\(method) \(target) SIP/2.0") + "\n"
        for value in via { text += "Via: \(value)\n" }
        if let from { text += "From: \(from)\n" }
        if let to { text += "To: \(to)\n" }
        if let callID { text += "Call-ID: \(callID)\n" }
        text += "CSeq: \(cSeq ?? "1 \(method)")\n"
        if let maxForwards { text += "Max-Forwards: \(maxForwards)\n" }
        for value in contact { text += "Contact: \(value)\n" }
        text += extra
        if contentLength != "" { text += "Content-Length: \(contentLength ?? "\(wire(body).count)")\n" }
        return wire(text + end + body)
    }
}
