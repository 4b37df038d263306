import Glibc
import Link
import LiveMedia
import Media
import Network
import Realtime
import Reporting
import Settings
import Softphone
import Terminal

/// So many calls at a port of this process, made by this process, over the loopback interface: what became of them.
struct CapacityStep {
    let calls: Int
    /// Thresholds that were missed; empty: the objective was kept.
    let missed: [AssertionOutcome]
    let connected: Int
    /// p99 from mouth to ear, in milliseconds; `nil`: nothing was heard.
    let delay99: Double?
    let isLoadValid: Bool
    /// The port's figures in the second that had most work.
    let worst: PortFigures
    /// Processor time of a second of a call in the port's threads, sockets included, in milliseconds; `nil`: not measured.
    let costMilliseconds: Double?
    let limit: CapacityLimit

    /// All calls run for so long.
    private static let holdSeconds = 4.0
    /// Calls begin within so long.
    private static let rampSeconds = 2.0
    private static let leastRate = 50.0
    /// What a step takes beside, in seconds: the last sounds, goodbyes.
    private static let restSeconds = 1.5

    /// How long a step takes, in seconds.
    static var seconds: Double { holdSeconds + rampSeconds + restSeconds }

    var isKept: Bool { missed.isEmpty && connected == calls }

    /// Makes `calls` calls and measures them; blocks until they are over.
    init(_ calls: Int, _ plan: CapacityPlan) throws(SoftphoneError) {
        self.calls = calls
        let port = try Self.open(calls, plan)
        defer { port.close() }
        let rate = min(1000, max(Self.leastRate, Double(calls) / Self.rampSeconds))
        let uri: CallURI
        do { uri = try CallURI(parsing: "rtp://\(port.local)", role: .call) } catch { throw .request("\(error)") }
        let load = try LoadPlan(
            uri, plan.media, .init(calls: calls, rate: rate, holdSeconds: Self.holdSeconds + Double(calls) / rate),
            speechPath: nil)
        let threads = try LoadThreads(load, realtime: plan.media.device.realtime)
        let before = port.figures
        var (worst, cost) = (before, [Double]())
        var results = threads.results()
        while results == nil {
            usleep(250_000)
            if TerminationSignal.caught != nil { threads.end() }
            _ = threads.takeReports()
            _ = port.takeEvents()
            let figures = port.figures
            if figures.loop.load > worst.loop.load { worst = figures }
            if figures.calls == calls { cost.append(1000 * figures.processorShare / Double(calls)) }
            results = threads.results()
        }
        guard var results else { throw .resources("the load has no results") }
        let report = results.report()
        missed = plan.objective.map { $0.evaluate(report.value(of: $0.path)) }.filter { !$0.passed }
        connected = results.connected
        delay99 = results.delays.quantile(0.99)
        isLoadValid = results.isValid
        self.worst = worst
        costMilliseconds = cost.isEmpty ? nil : cost.sorted()[cost.count / 2]
        limit = CapacityLimit(worst: worst, last: port.figures, before: before, isLoadValid: results.isValid)
    }

    private static func open(_ calls: Int, _ plan: CapacityPlan) throws(SoftphoneError) -> CallPort {
        var configuration = plan.media.callConfiguration(seed: plan.seed)
        configuration.stream.echoes = true
        configuration.policy.waitsForCaller = true
        var port = PortPlan(configuration: configuration, parties: calls + 16, sound: .echo)
        port.realtime = plan.media.device.realtime
        do { return try CallPort(port, bind: IPAddress(v4: 0x7f00_0001), localPort: 0, rtcp: .separate()) } catch {
            throw SoftphoneError(error)
        }
    }
}
