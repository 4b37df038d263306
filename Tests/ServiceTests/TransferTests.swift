import Reporting
import Testing

import Service

@Suite("Transfers by request") struct TransferTests {
    @Test("a call that is answered goes to whom it is told, and nowhere else")
    func blind() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        #expect(await bench.ask("POST", "/v1/calls/\(id)/transfer", #"{"to": "sip:103@example.com"}"#).status == 409)
        call.tell(.callAnswered(sipCode: 200))
        for wrong in ["{}", #"{"to": 3}"#, #"{"to": "sip:1@h", "call": "x"}"#, #"{"call": "x"}"#, "{\"call\": \"\(id)\"}"] {
            #expect(await bench.ask("POST", "/v1/calls/\(id)/transfer", wrong).status == 400, "\(wrong)")
        }
        let (other, second) = await bench.call()
        second.tell(.callAnswered(sipCode: 200))
        // A call without a place at its other side cannot be connected.
        #expect(await bench.ask("POST", "/v1/calls/\(id)/transfer", "{\"call\": \"\(other)\"}").status == 409)
        #expect(await bench.ask("POST", "/v1/calls/\(id)/transfer", #"{"to": "sip:103@example.com"}"#).status == 202)
        #expect(call.asked == ["transfer to sip:103@example.com"])
        #expect(await bench.ask("POST", "/v1/calls/none/transfer", #"{"to": "sip:1@h"}"#).status == 404)
    }

    @Test("what becomes of the call to the target of a transfer is no answer to the call that is transferred")
    func progress() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        call.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: false))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("explanation") == "Ringing")
        call.tell(.callAnswered(sipCode: 200))
        call.tell(.transferRequested(target: "sip:103@example.com"))
        call.tell(.callProgress(sipCode: 183, reason: "Session Progress", earlyMedia: true))
        let record = await bench.ask("GET", "/v1/calls/\(id)").json
        #expect(record.value(at: "sip_code") == .integer(200) && record.value(at: "explanation") == .null)
    }
}
