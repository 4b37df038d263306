import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 18.1.2.
    @Test(
        "an answer that fits no request of ours is dropped and counted, whatever it says",
        arguments: [100, 180, 200, 302, 401, 486]) func strayFinalAnswer(status: Int) throws
    {
        let bench = Bench()
        let foreign = PeerCall().request(.invite, branch: "z9hG4bKforeign", body: offer)
        bench.answer(foreign, status, body: answerBody)
        #expect(bench.sent.isEmpty)
        #expect(bench.drops == [.strayResponse])
    }
}
