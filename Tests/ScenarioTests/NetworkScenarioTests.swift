import Codecs
import Glibc
import JitterBuffer
import Media
import Realtime
import Simulation
import Testing

@Suite("On a network known by name") struct NetworkScenarioTests {
    @Test("a call reaches the marks that are published", arguments: NetworkScenario.allCases)
    func marks(scenario: NetworkScenario) throws {
        let (delay, invented) = try call(scenario, offset: 0)
        #expect(delay <= scenario.marks.delayMilliseconds)
        #expect(invented <= scenario.marks.concealedMilliseconds)
    }

    @Test("and nearly so in other minutes of it: the marks fit the network, not the draw", arguments: NetworkScenario.allCases)
    func otherMinutes(scenario: NetworkScenario) throws {
        for offset in [5000, 17_000] {
            let (delay, invented) = try call(scenario, offset: offset)
            #expect(delay <= 1.2 * scenario.marks.delayMilliseconds)
            #expect(invented <= 1.5 * scenario.marks.concealedMilliseconds + 120)
        }
    }

    /// Mean delay and milliseconds of invented sound, of a minute's call that enters the scenario at packet `offset`.
    private func call(_ scenario: NetworkScenario, offset: Int) throws -> (delay: Double, invented: Double) {
        let seconds = 60.0
        var configuration = CallConfiguration(codec: .opus, seed: 1)
        configuration.sampleRate = 16_000
        configuration.protect(true, copies: true, reportIntervalSeconds: 1)
        var talker = SyntheticTalker(sampleRate: 16_000, pitch: 120, seed: 9)
        var random = SplitMix64(seed: 10)
        // A room's noise, 40 dB under the voice.
        let speech = talker.speak(seconds: seconds).map { $0 + Float.random(in: -0.001...0.001, using: &random) }
        let delays = Array(scenario.trace.delays.dropFirst(offset))
        let replay = try TraceReplay(
            speech: speech, trace: NetworkTrace(delays: delays), configuration: configuration)
        replay.run()
        // What follows the last word is nobody's.
        let spoken = replay.rows.filter { ($0.mediaMilliseconds ?? 0) <= 1000 * seconds }
        let invented = 10 * Double(spoken.count { $0.reason == .concealShort || $0.reason == .concealLong })
        let delay = try #require(replay.figures.meanDelayMs)
        print("\(scenario.rawValue)+\(offset): \(delay) ms, \(invented) ms invented a minute")
        return (delay, invented)
    }

    @Test("its name stands for it wherever a trace is asked for; another word is a file")
    func names() throws {
        #expect(try NetworkConditions(parsing: "trace=wifi-burst").trace == NetworkScenario.wifiBurst.trace)
        #expect(try NetworkTrace(named: "clean") == NetworkScenario.clean.trace)
        #expect(throws: NetworkConditionsError.self) { try NetworkTrace(named: "wifi-bursts") }
        #expect(Set(NetworkScenario.allCases.map(\.trace.delays.count)) == [30_000])
    }

    @Test("its marks are those that docs/commands.md publishes", arguments: NetworkScenario.allCases)
    func published(scenario: NetworkScenario) throws {
        let page = try #require(contents(of: "docs/commands.md"))
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(scenario.rawValue)` |") })
        let marks = "| \(Int(scenario.marks.delayMilliseconds)) | \(Int(scenario.marks.concealedMilliseconds)) |"
        #expect(row.hasSuffix(marks), "\(row), but \(marks)")
    }

    /// A file of the repository.
    private func contents(of path: String, here: String = #filePath) -> String? {
        let root = here.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        guard let file = fopen("\(root)/\(path)", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
