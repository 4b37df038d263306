import Codecs
import Reporting
import Settings
import Softphone
import Testing

@Suite("Calls without a process", .serialized) struct CallTests {
    private func listener(device: String = "null") throws -> Followed {
        try Followed(try .test(["rtp://127.0.0.1:0?rtcp=mux"], role: .listen, device: device))
    }

    private func caller(of listener: Followed, device: String = "null") throws -> Followed {
        try Followed(try .test(["rtp://\(try listener.address())?rtcp=mux"], role: .call, device: device))
    }

    @Test("two softphones call each other: events in order, figures, reports, and why it ended on either side")
    func wholeCall() throws {
        let listener = try listener()
        let caller = try caller(of: listener)
        try caller.wait("the caller hears") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > 10 }
        try listener.wait("the listener hears") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > 10 }
        #expect(caller.call.parties == 1)
        #expect(caller.call.endReason(of: 0) == nil)
        caller.call.send(digit: "5")
        try listener.wait("the digit arrives") { $0.types.contains("dtmf") }
        caller.call.hangUp(byDuration: false)
        try caller.wait("the caller's call ends") { $0.types.contains("call_ended") }
        try listener.wait("the listener's call ends") { $0.types.contains("call_ended") }
        #expect(caller.call.endReason(of: 0) == .localHangup)
        #expect(listener.call.endReason(of: 0) == .remoteHangup)

        for (side, reason) in [(caller, "local_hangup"), (listener, "remote_hangup")] {
            let reports = side.close()
            try #require(reports.count == 1)
            #expect(reports[0].reason == reason)
            #expect(try #require(reports[0].durationSeconds) > 0)
            #expect(try #require(reports[0].statistics.packetsSent) > 10)
            #expect(reports[0].requested["codec"] == "pcmu")
            #expect(reports[0].effective["codec"] == "pcmu")
            #expect(reports[0].requested["device"] == "null")
            #expect(side.types.first == "call_started")
            let ordered = side.types.filter { ["call_started", "media_started", "call_ended"].contains($0) }
            #expect(ordered == ["call_started", "media_started", "call_ended"])
            #expect(side.events.allSatisfy { $0.party == 0 })
            #expect(side.isOver)
            #expect(side.close().isEmpty, "closed once")
        }
        #expect(listener.events.contains { $0.body == .dtmf(digit: "5", direction: .received) })
    }

    @Test("a duration that has passed is told as such")
    func duration() throws {
        let listener = try listener()
        let caller = try caller(of: listener)
        try caller.wait("media starts") { $0.types.contains("media_started") }
        caller.call.hangUp(byDuration: true)
        try caller.wait("the call ends") { $0.types.contains("call_ended") }
        #expect(caller.call.endReason(of: 0) == .duration)
        #expect(caller.close().first?.reason == "duration")
        _ = listener.close()
    }

    @Test("who hangs up before anybody called had no media")
    func nobodyCalled() throws {
        let listener = try listener()
        _ = try listener.address()
        listener.call.hangUp(byDuration: false)
        try listener.wait("the call ends") { $0.types.contains("call_ended") }
        let reports = listener.close()
        #expect(reports.first?.reason == "local_hangup")
        #expect(reports.first?.durationSeconds == nil)
        #expect(listener.types == ["call_started", "call_ended"])
    }

    @Test("a subscriber that never reads and one that comes late do not disturb the call or each other")
    func subscribers() throws {
        let listener = try listener()
        let sleeper = try listener.call.subscribe(capacity: 1, onReady: nil)
        let caller = try caller(of: listener)
        try listener.wait("media starts") { $0.types.contains("media_started") }
        let late = try listener.call.subscribe()
        caller.call.hangUp(byDuration: false)
        try listener.wait("the call ends") { $0.types.contains("call_ended") }
        _ = (caller.close(), listener.close())
        let slept = sleeper.take()
        #expect(slept.values.map(\.body.type) == ["call_ended"])
        #expect(slept.lost > 0)
        #expect(slept.isLast)
        let latest = late.take()
        #expect(latest.lost == 0)
        #expect(latest.values.last?.body.type == "call_ended")
        #expect(!latest.values.contains { $0.body.type == "call_started" })
    }

    @Test("where several callers are taken, the media of a later one begin with that call")
    func laterCaller() throws {
        var request = try CallRequest.test(["rtp://127.0.0.1:0?rtcp=mux"], role: .listen)
        request.parties = 2
        let listener = try Followed(request)
        let first = try caller(of: listener)
        try listener.wait("the first one is heard") { side in
            (0...1).contains { (side.call.statistics(of: $0).packetsReceived ?? 0) > 10 }
        }
        let second = try caller(of: listener)
        try listener.wait("the second one is there") { $0.types.filter { $0 == "media_started" }.count == 2 }
        let starts = listener.events.compactMap { event -> (after: Double, time: Int64)? in
            guard case .mediaStarted(_, let after) = event.body else { return nil }
            return (after, event.time.millisecondsSince1970)
        }
        #expect(starts[1].after < Double(starts[1].time - starts[0].time), "it does not count from the first one's call")
        for side in [first, second, listener] { _ = side.close() }
    }

    @Test("several parties are told apart")
    func conference() throws {
        let listeners = [try listener(), try listener()]
        let caller = try Followed(
            try .test(try listeners.map { "rtp://\(try $0.address())?rtcp=mux" }, role: .call))
        try caller.wait("both are heard") { caller in
            Set(caller.events.filter { $0.body.type == "media_started" }.map(\.party)) == [0, 1]
        }
        listeners[1].call.hangUp(byDuration: false)
        try caller.wait("the second leaves") { $0.call.endReason(of: 1) == .remoteHangup }
        #expect(caller.call.endReason(of: 0) == nil)
        #expect(caller.close().count == 2)
        for listener in listeners { _ = listener.close() }
    }

    @Test("a call that nobody holds any more ends, and the other side is told")
    func dropped() throws {
        let listener = try listener()
        var caller: Followed? = try caller(of: listener)
        try caller?.wait("media starts") { $0.types.contains("media_started") }
        try listener.wait("media starts") { $0.types.contains("media_started") }
        caller = nil
        try listener.wait("the call ends") { $0.types.contains("call_ended") }
        #expect(listener.call.endReason(of: 0) == .remoteHangup)
        _ = listener.close()
    }
}
