import AudioFiles
import Glibc
import Simulation
import Softphone
import Terminal

/// What one second of one call costs, by the processor time of the thread that carries it in virtual time: no socket, no wait.
struct WorkCost {
    let kind: WorkKind
    /// Processor time of a second of a call, in milliseconds.
    let milliseconds: Double
    /// Seconds of calls that it was measured by.
    let callSeconds: Double

    /// Calls that would fill one core with this work.
    var callsOfCore: Double { milliseconds > 0 ? 1000 / milliseconds : .infinity }

    /// Virtual time before what is measured begins, and in one go, in milliseconds.
    private static let settleMilliseconds = 1000.0
    private static let partMilliseconds = 500.0
    /// Processor time that a figure rests on, in milliseconds.
    private static let restsOnMilliseconds = 400.0
    private static let longestMilliseconds = 20_000.0

    /// Measures.
    /// - Parameters:
    ///   - kind: the work.
    ///   - seconds: virtual seconds that are measured; `nil`: until the figure rests on enough.
    /// - Throws: what stands against the work; `AudioFileError` where what it records cannot be written.
    init(measuring kind: WorkKind, seconds: Double? = nil) throws {
        self.kind = kind
        switch kind.work {
        case .port(let work):
            let port = try VirtualPort(work)
            port.run(milliseconds: Self.settleMilliseconds)
            let start = ThreadTime.milliseconds
            var (passed, used) = (0.0, 0.0)
            repeat {
                let part = min(Self.partMilliseconds, seconds.map { $0 * 1000 - passed } ?? Self.partMilliseconds)
                port.run(milliseconds: part)
                passed += part
                used = ThreadTime.milliseconds - start
                if let reason = port.recordingFailure { throw AudioFileError(path: port.recordingFolder ?? "", reason: reason) }
            } while TerminationSignal.caught == nil
                && (seconds.map { passed < $0 * 1000 }
                    ?? (used < Self.restsOnMilliseconds && passed < Self.longestMilliseconds))
            callSeconds = passed / 1000 * Double(work.calls)
            milliseconds = used / max(1e-9, callSeconds)
        case .difference(let with, let without):
            let sides = 2.0
            callSeconds = sides * with.seconds
            // The first pays for what is made once.
            _ = try Self.time(without)
            milliseconds = max(0, try Self.time(with) - (try Self.time(without))) / callSeconds
        }
    }

    private static func time(_ plan: LoopbackPlan) throws -> Double {
        let call = try OfflineCall(plan)
        let start = ThreadTime.milliseconds
        try call.run()
        return ThreadTime.milliseconds - start
    }
}

/// Processor time of the calling thread.
enum ThreadTime {
    static var milliseconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}
