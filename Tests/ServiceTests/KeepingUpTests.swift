import Foundation
import LiveMedia
import Media
import Reporting
import Testing

import Service

@Suite("How the service keeps up with its calls") struct KeepingUpTests {
    private static var busy: SessionLoopFigures {
        var figures = SessionLoopFigures()
        (figures.threads, figures.sessions, figures.processorShare) = (2, 300, 1.25)
        (figures.loop.latenessMedian, figures.loop.lateness99, figures.loop.latenessMaximum) = (0.5, 9.25, 31)
        (figures.loop.load, figures.loop.relief) = (0.75, .allEncoders)
        figures.stages = [.hear: 0.5, .say: 0.6]
        return figures
    }

    @Test("is told on request, by the names of a port of many calls")
    func request() async throws {
        let quiet = await Bench().ask("GET", "/v1/load")
        #expect(quiet.status == 200 && quiet.json.value(at: "headroom") == .integer(4))
        #expect(quiet.json.text("relief") == "none" && quiet.json.value(at: "turn_late_p99_ms") == .null)
        let bench = Bench(keepsUp: { false }, loops: { Self.busy })
        let busy = await bench.ask("GET", "/v1/load").json
        #expect(busy.value(at: "admits") == .boolean(false) && busy.value(at: "headroom") == .integer(0))
        #expect(busy.value(at: "threads") == .integer(2) && busy.value(at: "sessions") == .integer(300))
        #expect(busy.text("relief") == "all_encoders" && busy.value(at: "turn_late_p99_ms") == .number(9.25, decimals: 2))
        #expect(busy.value(at: "stages.hear") == .number(0.5, decimals: 4), "\(busy)")
        guard case .object(let members) = busy else { return #expect(Bool(false)) }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8)
        let part = try #require(text.range(of: "    Load:\n")).upperBound
        let described = text[part...].split(separator: "\n").prefix { !$0.hasPrefix("      required:") }
            .compactMap { $0.firstMatch(of: #/^        (\w+): \{/#).map { String($0.1) } }
        #expect(described == members.map(\.name))
    }

    @Test("is in the figures for Prometheus")
    func metrics() {
        let text = ServiceFigures.text(Bench(loops: { Self.busy }).core)
        for line in [
            "yodel_loop_threads 2", "yodel_loop_sessions 300", "yodel_loop_lateness_seconds{percentile=\"99\"} 0.00925",
            "yodel_loop_load_ratio 0.75", "yodel_loop_processor_ratio 1.25", "yodel_loop_relief{level=\"all_encoders\"} 1",
            "yodel_loop_relief{level=\"none\"} 0", "yodel_loop_stage_ratio{stage=\"say\"} 0.6",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("is told in the log once for each step, and when it is over")
    func notices() {
        var notice = LoadNotice()
        var figures = LoopFigures()
        let none = notice.look(figures)
        #expect(none == nil)
        figures.relief = .newEncoders
        var text = notice.look(figures)
        #expect(text?.contains("encoders of new calls") == true)
        text = notice.look(figures)
        #expect(text == nil)
        (figures.relief, figures.admits) = (.leastWork, false)
        text = notice.look(figures)
        #expect(text?.contains("nobody new is let in") == true)
        text = notice.look(LoopFigures())
        #expect(text?.contains("keeps up") == true)
        text = notice.look(LoopFigures())
        #expect(text == nil)
    }
}
