import Foundation
import Reporting
import Settings
import Softphone
import TestPrograms
import Testing

/// A call has a duration from when it is made; it may pass before anybody answers.
@Suite("A call whose duration passes", .serialized) struct UnansweredCallTests {
    @Test("before anybody answers at a yodel:// address ends as one that nobody answered") func person() throws {
        let nobody = try LoopbackSocket()
        let folder = NSTemporaryDirectory() + "yodel-peer-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        let uri = try PeerURI(parsing: "yodel://127.0.0.1:\(nobody.port)", role: .call)
        let request = PeerRequest(.call(uri), codecs: [.pcmu], media: media, folder: PeerFolder(path: folder))
        let caller = try Followed(of: try Softphone().connect(request.folder).nextCall(request))
        caller.call.hangUp(byDuration: true)
        try endsUnanswered(caller)
        #expect(caller.close().map(\.reason) == ["no_answer"])
    }

    @Test("while it rings at a telephone by SIP ends as one that nobody answered", .timeLimit(.minutes(3)))
    func ringing() async throws {
        let desk = try Desk()
        let caller = try Caller(desk.uri)
        let (call, _) = try await desk.called()
        try caller.call.wait("it rings") { $0.types.contains("call_progress") }
        caller.call.call.hangUp(byDuration: true)
        try endsUnanswered(caller.call)
        try await desk.ended(call)
        #expect(caller.close().map(\.reason) == ["no_answer"])
        await desk.close()
    }

    @Test("where nobody is at all by SIP is closed as one that nobody answered") func nobodyByDatagrams() throws {
        let nobody = try LoopbackSocket()
        let caller = try Caller("sip:127.0.0.1:\(nobody.port)")
        caller.call.call.hangUp(byDuration: true)
        #expect(caller.close().map(\.reason) == ["no_answer"])
    }

    @Test("after the answer by SIP has lasted so long", .timeLimit(.minutes(3))) func answered() async throws {
        let desk = try Desk()
        let caller = try Caller(desk.uri)
        let (call, _) = try await desk.called()
        desk.signalling.answer(call)
        try caller.call.wait("it is answered") { $0.types.contains("call_answered") }
        caller.call.call.hangUp(byDuration: true)
        try caller.call.wait("it is over") { $0.types.contains("call_ended") }
        #expect(caller.call.call.endReason(of: 0) == .duration)
        // It counts from the answer, though nothing was heard.
        #expect(seconds(caller.call).count == 1)
        _ = caller.close()
        await desk.close()
    }

    private func endsUnanswered(_ caller: Followed) throws {
        try caller.wait("it is over") { $0.types.contains("call_ended") }
        #expect(caller.call.endReason(of: 0) == .noAnswer)
        let texts = caller.events.compactMap { if case .callEnded(_, _, _, let text) = $0.body { text } else { nil } }
        #expect(texts.count == 1 && texts[0].contains("--duration"), "\(texts)")
        #expect(seconds(caller).isEmpty)
    }

    private func seconds(_ side: Followed) -> [Double] {
        side.events.compactMap { if case .callEnded(_, let seconds, _, _) = $0.body { seconds } else { nil } }
    }
}
