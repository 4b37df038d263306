import Codecs
import Glibc
import Link
import Load
import RTP
import Realtime
import Reporting
import Testing

@Suite("What is told of a load") struct LoadReportTests {
    @Test("quantiles are values that were there")
    func quantiles() {
        var distribution = Distribution()
        #expect(distribution.quantile(0.99) == nil && distribution.summary().mean == nil)
        for value in (1...100).shuffled() { distribution.add(Double(value)) }
        #expect(distribution.quantile(0.5) == 50 && distribution.quantile(0.99) == 99 && distribution.quantile(1) == 100)
        let summary = distribution.summary()
        #expect(summary.minimum == 1 && summary.maximum == 100 && summary.mean == 50.5 && summary.quantile90 == 90)
    }

    @Test("every name that an assertion may use has its value, or says that it was not measured")
    func names() throws {
        var results = LoadResults(calls: 5)
        let report = results.report()
        for path in LoadReport.comparablePaths where path.kind == .number {
            let assertion = try Assertion(parsing: "\(path.path) < 1e9", known: LoadReport.comparablePaths)
            let outcome = assertion.evaluate(report.value(of: assertion.path))
            let isFigure = path.path.contains("(") || path.path.hasPrefix("generator_")
            let isCount = !isFigure || path.path == "generator_send_failures"
            #expect(outcome.passed == isCount, "\(path.path): \(outcome)")
        }
        let calls = try Assertion(parsing: "calls==5", known: LoadReport.comparablePaths)
        #expect(calls.evaluate(report.value(of: calls.path)).passed)
    }

    @Test("a packet that comes twice, whenever the second comes, is a duplicate and makes up for none that is lost")
    func duplicates() {
        let call = LoadCallReport.call(hearing: [10, 11, 13, 11, 13, 14, 10])
        #expect(call.packetsReceived == 4 && call.duplicates == 3 && call.packetsLost == 1)
        let overtaken = LoadCallReport.call(hearing: [11, 10, 13, 12, 8, 14])
        #expect(overtaken.packetsReceived == 6 && overtaken.duplicates == 0 && overtaken.packetsLost == 1, "9 never came")
        let whole = LoadCallReport.call(hearing: [11, 10, 8, 9, 12])
        #expect(whole.packetsReceived == 5 && whole.duplicates == 0 && whole.packetsLost == 0)
        let setBack = LoadCallReport.call(hearing: [20_000, 20_001, 100, 101])
        #expect(setBack.packetsReceived == 4 && setBack.packetsLost == 0)
    }

    @Test("what was lost stays lost when the other side goes on under another SSRC")
    func anotherSource() {
        let call = LoadCallReport.call(hearing: [10, 13, 500, 502], from: [9, 9, 8, 8])
        #expect(call.packetsReceived == 4 && call.packetsLost == 3)
    }

    @Test(
        "a goodbye of one who goes on under another SSRC ends no call",
        arguments: [
            ("clock rate changes", false), ("SSRC collision", false), ("call ended", true), (nil, true),
        ] as [(String?, Bool)])
    func goesOn(reason: String?, endsCall: Bool) {
        var random = SplitMix64(seed: 1)
        var call = LoadCall(
            number: 0, local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 4000), .pcmu, firstPacket: 0, random: &random)
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: 9, reports: []).append(to: &bytes)
        RTCPPacket.bye(ssrcs: [9], reason: reason).append(to: &bytes)
        bytes.withUnsafeBytes { call.receive(rtcp: $0, arrival: HostTime(milliseconds: 100)) }
        #expect(LoadCallReport(call, nil).endedByPeer == endsCall)
    }

    @Test("a wrong name is refused with a hint")
    func wrongName() {
        #expect(throws: AssertionError.self) {
            _ = try Assertion(parsing: "p99(mouth_to_ear)<120", known: LoadReport.comparablePaths)
        }
        #expect(throws: AssertionError.self) {
            _ = try Assertion(parsing: "p98(setup_ms)<1", known: LoadReport.comparablePaths)
        }
    }

    @Test("a load that was late itself says nothing of others, and says so first")
    func validity() {
        var results = LoadResults(calls: 1)
        #expect(!results.isValid, "nothing was sent")
        for _ in 0..<1000 { results.lateness.add(0.2) }
        #expect(results.isValid)
        results.lateness.add(25)
        #expect(!results.isValid)
        let report = results.report()
        #expect(report.lines([]).first?.contains("too slow to judge") == true)
        #expect(report.value(of: "valid") == .boolean(false))
    }

    @Test("a load whose packets did not leave says nothing of others, and says why")
    func unsent() {
        var results = LoadResults(calls: 1)
        for _ in 0..<100 { results.lateness.add(0.2) }
        (results.sendFailures, results.lastSendError) = (102, ENETUNREACH)
        #expect(!results.isValid)
        let report = results.report()
        #expect(report.value(of: "generator_send_failures") == .number(102))
        let lines = report.lines([])
        #expect(lines[0].contains("late") && !lines[0].contains("too slow"))
        #expect(lines[1].contains("102 packets could not be sent, last because: Network is unreachable"))
    }
}
