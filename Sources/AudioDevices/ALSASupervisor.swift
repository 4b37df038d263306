import AudioUnits
import Realtime

/// The ordinary thread beside the two real-time ones: tells events, closes broken streams, opens them again.
///
/// Opening and closing may hang with the sound server, allocate and take locks: none of it belongs on a thread that
/// has to deliver silence meanwhile. It sleeps for the whole of a call without trouble.
struct ALSASupervisor: ~Copyable {
    private let engine: ALSAEngine
    private var lost: [Bool]
    private var watches: [BoardWatch]
    private var lostSince: HostTime?
    private var backOff = ReopenBackOff()

    init(engine: ALSAEngine) {
        self.engine = engine
        lost = engine.directions.map { _ in false }
        watches = lost.map { _ in BoardWatch() }
    }

    mutating func run() {
        while !engine.stopping.load(ordering: .acquiring) {
            let now = HostTime.monotonicNow()
            let wait = backOff.next.map { max($0.milliseconds(since: now), 0) } ?? 3_600_000
            if ALSAEngine.wait(engine.report, milliseconds: wait) { engine.report.drain() }
            if engine.stopping.load(ordering: .acquiring) { break }
            tellEvents()
            takeBroken()
            let isCalled = engine.retryNow.exchange(false, ordering: .acquiringAndReleasing)
            let then = HostTime.monotonicNow()
            if isCalled { backOff.hasten(at: then) }
            if let attempt = backOff.next, then >= attempt { reopen() }
        }
        engine.supervisorFinished.signal()
    }

    private mutating func tellEvents() {
        for (index, direction) in engine.directions.enumerated() {
            for event in watches[index].events(direction.line.pointee.board) { tell(event) }
        }
    }

    private mutating func takeBroken() {
        for (index, direction) in engine.directions.enumerated() {
            guard let stream = direction.line.pointee.takeSurrendered() else { continue }
            lost[index] = true
            engine.isPresent.store(false, ordering: .relaxed)
            let now = HostTime.monotonicNow()
            backOff.lost(at: now)
            if lostSince == nil {
                lostSince = now
                let code = direction.line.pointee.lossCode.load(ordering: .relaxed)
                tell(
                    .lost(
                        code == ALSALine.stalled
                            ? .streamBroken(device: direction.name, reason: "the device has stopped moving")
                            : ALSAErrors.running(Int32(truncatingIfNeeded: code), device: direction.name)))
            }
            stream.close()
        }
    }

    /// Opens what is lost. A direction that cannot be opened yet is tried again later, while the other one runs.
    private mutating func reopen() {
        var isWhole = true
        for (index, direction) in engine.directions.enumerated() where lost[index] {
            let line = direction.line
            do throws(DeviceError) {
                let stream = try ALSAStream.open(
                    direction.name, capture: line.pointee.board.isCapture, engine.request)
                if engine.stopping.load(ordering: .acquiring) { return stream.close() }
                line.pointee.offer(stream)
                lost[index] = false
            } catch {
                isWhole = false
            }
        }
        guard isWhole else { return backOff.failed(at: .monotonicNow()) }
        backOff.succeeded()
        engine.isPresent.store(true, ordering: .relaxed)
        engine.reopened.wrappingAdd(1, ordering: .relaxed)
        if let since = lostSince {
            lostSince = nil
            tell(.back(afterMilliseconds: HostTime.monotonicNow().milliseconds(since: since)))
        }
    }

    private func tell(_ event: DeviceEvent) { engine.handler?(event) }
}
