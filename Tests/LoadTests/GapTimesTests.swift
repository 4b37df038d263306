import Load
import Reporting
import Testing

@Suite("When calls of a load heard gaps") struct GapTimesTests {
    private let time = VirtualTime()

    private func call(hearing intervals: [Int64], late: Set<Int> = []) -> LoadCallReport {
        .call(hearing: intervals.indices.map { UInt16($0) }, after: intervals, late: late, time)
    }

    private func told(of calls: [LoadCallReport]) -> String? {
        var results = LoadResults(calls: calls.count)
        for call in calls { results.add(call) }
        return results.report().members([]).first { $0.name == "gaps_at" }?.value.text
    }

    @Test("moments are told in seconds since the load's first packet, with the gaps of all calls")
    func moments() {
        time.pass(milliseconds: 98_765)
        let first = call(hearing: [20, 20, 500, 20, 20, 20, 90])
        #expect(told(of: [first]) == #"[{"at_s":0.5,"gaps":1},{"at_s":0.6,"gaps":1}]"#)
        // The second begins 690 ms after the first packet of the first.
        let second = call(hearing: [20, 20, 500])
        #expect(
            told(of: [second, first]) == #"[{"at_s":0.5,"gaps":1},{"at_s":0.6,"gaps":1},{"at_s":1.2,"gaps":1}]"#)
    }

    @Test("a gap while the load was late is none of them, and no gap is an empty list")
    func excused() {
        let calls = [call(hearing: [20, 20, 500], late: [2]), call(hearing: [20, 20, 20])]
        #expect(calls.map(\.members).compactMap { $0.first { $0.name == "gaps_excused" }?.value.text } == ["1", "0"])
        #expect(told(of: calls) == "[]" && told(of: []) == "[]")
    }

    /// Gaps of a call of so many packets, those that are excused second.
    private func gaps(hearing packets: UInt16 = 3, _ ending: HeardEnding) -> [JSONValue] {
        let members = LoadCallReport.call(hearing: Array(0..<packets), ending: ending, time).members
        return ["gaps", "gaps_excused"].compactMap { name in members.first { $0.name == name }?.value }
    }

    @Test("a call that falls silent before its goodbye has a gap up to it, once, and none where silence is no wonder")
    func silentAtTheEnd() {
        #expect(gaps(HeardEnding(silence: 9000)) == [.integer(1), .integer(0)])
        #expect(gaps(HeardEnding(silence: 60)) == [.integer(1), .integer(0)])
        #expect(gaps(HeardEnding(silence: 59)) == [.integer(0), .integer(0)], "the next packet is under way")
        #expect(gaps(HeardEnding(silence: 9000, wasLate: true)) == [.integer(0), .integer(1)])
        #expect(gaps(HeardEnding(silence: 9000, isHeld: true)) == [.integer(0), .integer(0)])
        #expect(gaps(HeardEnding(silence: 9000, isByPeer: true)) == [.integer(0), .integer(0)])
        #expect(gaps(hearing: 0, HeardEnding(silence: 9000)) == [.integer(0), .integer(0)], "nothing was heard at all")
    }

    @Test("the gap at a call's end is told with the time of its goodbye")
    func momentOfSilence() {
        let one = LoadCallReport.call(hearing: [0, 1, 2], ending: HeardEnding(silence: 9040), time)
        #expect(told(of: [one]) == #"[{"at_s":9.1,"gaps":1}]"#)
    }

    @Test("of one call's gaps the first 256 are told, and all are counted")
    func many() throws {
        let one = call(hearing: Array(repeating: 100, count: 301))
        #expect(one.members.first { $0.name == "gaps" }?.value == .integer(300))
        let text = try #require(told(of: [one]))
        #expect(text.split(separator: "{").count - 1 == 256)
    }
}
