import AudioUnits
import Realtime

/// The ordinary thread beside the two real-time ones: tells events, closes broken streams, opens them again.
///
/// Opening and closing may hang with the sound server, allocate and take locks: none of it belongs on a thread that
/// has to deliver silence meanwhile. It sleeps for the whole of a call without trouble.
struct ALSASupervisor: ~Copyable {
    private let engine: ALSAEngine
    private var lost: [Bool]
    private var seenXruns: [Int]
    private var wasSilent = false
    private var lostSince: HostTime?
    private var nextAttempt: HostTime?
    private var backOff = firstBackOff

    /// Waits between attempts to reopen, in milliseconds: doubled from first to longest.
    static let firstBackOff = 100.0
    static let longestBackOff = 2000.0

    init(engine: ALSAEngine) {
        self.engine = engine
        lost = engine.directions.map { _ in false }
        seenXruns = lost.map { _ in 0 }
    }

    mutating func run() {
        while !engine.stopping.load(ordering: .acquiring) {
            let now = HostTime.monotonicNow()
            let wait = nextAttempt.map { max($0.milliseconds(since: now), 0) } ?? 3_600_000
            if ALSAEngine.wait(engine.report, milliseconds: wait) { engine.report.drain() }
            if engine.stopping.load(ordering: .acquiring) { break }
            tellEvents()
            takeBroken()
            let isCalled = engine.retryNow.exchange(false, ordering: .acquiringAndReleasing)
            if let attempt = nextAttempt, isCalled || HostTime.monotonicNow() >= attempt {
                if isCalled { backOff = Self.firstBackOff }
                reopen()
            }
        }
        engine.supervisorFinished.signal()
    }

    private mutating func tellEvents() {
        for (index, direction) in engine.directions.enumerated() {
            let xruns = direction.line.pointee.xruns.load(ordering: .relaxed)
            if xruns != seenXruns[index] {
                seenXruns[index] = xruns
                tell(.xrun(capture: direction.line.pointee.isCapture))
            }
        }
        if let line = engine.capture?.line {
            let isSilent = line.pointee.isSilent.load(ordering: .relaxed)
            if isSilent != wasSilent {
                wasSilent = isSilent
                tell(isSilent ? .microphoneSilent : .microphoneHeard)
            }
        }
    }

    private mutating func takeBroken() {
        for (index, direction) in engine.directions.enumerated() {
            guard let stream = direction.line.pointee.takeSurrendered() else { continue }
            lost[index] = true
            engine.isPresent.store(false, ordering: .relaxed)
            let now = HostTime.monotonicNow()
            if nextAttempt == nil {
                backOff = Self.firstBackOff
                nextAttempt = now.advanced(byMilliseconds: backOff)
            }
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

    private mutating func reopen() {
        for (index, direction) in engine.directions.enumerated() where lost[index] {
            let line = direction.line
            do throws(DeviceError) {
                let stream = try ALSAStream.open(
                    direction.name, capture: line.pointee.isCapture, engine.request)
                if engine.stopping.load(ordering: .acquiring) { return stream.close() }
                line.pointee.offer(stream)
                lost[index] = false
            } catch {
                backOff = min(backOff * 2, Self.longestBackOff)
                nextAttempt = HostTime.monotonicNow().advanced(byMilliseconds: backOff)
                return
            }
        }
        nextAttempt = nil
        engine.isPresent.store(true, ordering: .relaxed)
        engine.reopened.wrappingAdd(1, ordering: .relaxed)
        if let since = lostSince {
            lostSince = nil
            tell(.back(afterMilliseconds: HostTime.monotonicNow().milliseconds(since: since)))
        }
    }

    private func tell(_ event: DeviceEvent) { engine.handler?(event) }
}
