import Codecs
import Load
import Testing

@Suite("How what came back of a call of a load sounds") struct CallQualityTests {
    private func quality(
        _ codec: Codec = .pcmu, received: Int = 500, lost: Int = 0, lossRuns: Int = 0, delay: Double? = 50
    ) -> CallQuality {
        CallQuality(codec, received: received, lost: lost, lossRuns: lossRuns, delayMilliseconds: delay)
    }

    @Test("a clean call has the scores of ITU-T G.107 for its codec and delay")
    func clean() throws {
        let clean = quality()
        #expect(abs(try #require(clean.mosLQ) - 4.41) < 0.01)
        #expect(try #require(clean.mosCQ) < 4.41)
        #expect(try #require(quality(delay: 400).mosCQ) < 3.5 && quality(delay: 400).mosLQ == clean.mosLQ)
    }

    @Test("lost packets cost quality, more where they are lost in a row, and more in a codec that bears less of it")
    func losses() throws {
        let spread = try #require(quality(received: 475, lost: 25, lossRuns: 25).mosLQ)
        let inRows = try #require(quality(received: 475, lost: 25, lossRuns: 5).mosLQ)
        let opus = try #require(quality(.opus, received: 475, lost: 25, lossRuns: 25).mosLQ)
        #expect(spread < 4.2 && inRows < spread && opus < spread)
    }

    @Test("what cannot be told is not made up")
    func unknown() {
        #expect(quality(received: 0) == quality(received: 0, lost: 7, lossRuns: 1, delay: nil))
        #expect(quality(received: 0).mosLQ == nil && quality(received: 0).mosCQ == nil)
        #expect(quality(delay: nil).mosLQ != nil && quality(delay: nil).mosCQ == nil)
        for codec in Codec.allCases where codec.impairment == nil {
            #expect(quality(codec).mosLQ == nil && quality(codec).mosCQ == nil, "\(codec.name)")
        }
    }

    // MARK: - What it is made from

    private func runs(_ sequences: Int64...) -> Int {
        var (runs, highest) = (LossRuns(), sequences[0])
        for sequence in sequences.dropFirst() {
            runs.note(sequence - highest)
            highest = max(highest, sequence)
        }
        return runs.count
    }

    @Test("runs of losses are counted where the order is another one, too")
    func lossRuns() {
        #expect(runs(1, 2, 3) == 0)
        #expect(runs(1, 4, 5, 7) == 2)
        #expect(runs(1, 4, 2, 3, 5) == 0, "all came")
        #expect(runs(1, 5, 3, 6) == 2, "the middle one of three came")
        #expect(runs(1, 4, 200) == 2 && runs(1, 200, 400) == 2)
    }

    @Test("a leap of sequence numbers, or a packet that comes far too late, is one run and no trap")
    func leaps() {
        var runs = LossRuns()
        for step in [Int64(Int16.max), -64, -63, Int64(Int16.min), 0, .max, .min + 1, 1] { runs.note(step) }
        #expect((1...3).contains(runs.count))
    }

    private func report(_ codec: Codec, hearing sequences: [UInt16]) -> LoadCallReport {
        .call(in: codec, hearing: sequences)
    }

    private func text(_ name: String, of report: LoadCallReport) -> String? {
        report.members.first { $0.name == name }?.value.text
    }

    @Test("each call tells its codec, and the report how many were made in each")
    func codecs() {
        let calls = [Codec.pcmu, .opus, .pcmu, .pcma].map { report($0, hearing: [1, 2]) }
        let told = calls.map { call in call.members.first { $0.name == "codec" }?.value }
        #expect(told == [.string("pcmu"), .string("opus"), .string("pcmu"), .string("pcma")])
        var results = LoadResults(calls: 4)
        for call in calls { results.add(call) }
        let all = results.report()
        let counts = all.members([]).first { $0.name == "calls_by_codec" }?.value.text
        #expect(counts == #"{"pcmu":2,"opus":1,"pcma":1}"#)
        #expect(all.lines([]).contains("codecs: 2 in pcmu, 1 in opus, 1 in pcma"))
    }

    @Test("each call tells its score, and the report the worst of them")
    func reported() throws {
        let clean = report(.pcmu, hearing: Array(0..<100))
        let lossy = report(.pcmu, hearing: (0..<100).filter { $0 % 10 != 5 })
        let silent = report(.pcmu, hearing: [])
        #expect(text("mos_lq", of: clean) == "4.41" && text("mos_lq", of: silent) == "null")
        #expect(text("mos_cq", of: clean) == "null", "nobody looked for its sound")
        var results = LoadResults(calls: 3)
        for call in [clean, lossy, silent] { results.add(call) }
        let report = results.report()
        let (least, most) = (report.value(of: "min(mos_lq)"), report.value(of: "max(mos_lq)"))
        let worst = try #require(least.flatMap { Double($0.text) })
        #expect(text("mos_lq", of: lossy).flatMap(Double.init) == (worst * 100).rounded() / 100)
        #expect(try #require(most.flatMap { Double($0.text) }) > 4.4)
        #expect(report.value(of: "min(mos_cq)") == nil)
        let lines = report.lines([])
        #expect(lines.contains { $0.hasPrefix("mos_lq: p50 ") && $0.hasSuffix("to 4.41") }, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("mos_cq") })
    }
}
