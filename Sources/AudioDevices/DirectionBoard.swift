import AudioUnits
import Realtime
import Synchronization

/// What the thread of one direction tells of itself while it runs: atomics only, in memory that stays put. A handle of its
/// owner's: whoever made it gives the memory back.
struct DirectionBoard: ~Copyable {
    let isCapture: Bool
    /// Wakes whoever tells of it.
    let report: EventSignal
    let xruns = Atomic<Int>(0)
    /// How long the loudspeaker had nothing because of them, in microseconds.
    let silence = Atomic<Int>(0)
    /// Present delay and target in microseconds; negative while unknown.
    let delay = Atomic<Int>(-1)
    let target = Atomic<Int>(-1)
    /// How late the playback thread's turns are.
    let machine = MachineBoard()
    /// The stream goes elsewhere: underruns around now do not count.
    let hasMoved = Atomic<Bool>(false)
    /// The microphone delivers digital zeros only.
    let isSilent = Atomic<Bool>(false)
    /// Nobody is there to be called any more.
    let stopping = Atomic<Bool>(false)

    /// A running stream that does not move for this long is lost: the server hangs. In nanoseconds, by the stream's
    /// age: 1 s, but 5 s for a fresh one, because an idle server may have rendered 2 s ahead.
    @_noLocks
    static func stallLimit(age: Int64) -> Int64 { age > 5_000_000_000 ? 1_000_000_000 : 5_000_000_000 }

    /// A server that takes nothing for this long, in nanoseconds, is not waited for: what it would have played is dropped.
    static var discardNanoseconds: Int64 { @_noLocks get { 150_000_000 } }
    /// And one that takes something after so long, in nanoseconds, has only just begun itself, or woken.
    static var hesitation: Int64 { @_noLocks get { 250_000_000 } }
    /// How long after its start late turns of a stream say nothing of those to come, in nanoseconds.
    static var settling: Int64 { @_noLocks get { 200_000_000 } }
    /// While more than this is left to be played, in nanoseconds, an application that has nothing ready is waited for.
    static var patience: Int64 { @_noLocks get { 6_000_000 } }
    /// Shortest sleep, in nanoseconds: a turn without progress must not spin.
    static var shortestSleep: Int64 { @_noLocks get { 1_000_000 } }

    init(isCapture: Bool, report: EventSignal) {
        self.isCapture = isCapture
        self.report = report
    }

    var isStopping: Bool { @_noLocks get { stopping.load(ordering: .acquiring) } }

    @_noLocks
    func countXrun() {
        xruns.wrappingAdd(1, ordering: .relaxed)
        report.signal()
    }

    /// Counts an underrun that left the loudspeaker without sound for `silent` nanoseconds.
    @_noLocks
    func countUnderrun(silent: Int64) {
        silence.wrappingAdd(Int(silent / 1000), ordering: .relaxed)
        countXrun()
    }

    @_noLocks
    func setSilent(_ silent: Bool) {
        isSilent.store(silent, ordering: .relaxed)
        report.signal()
    }

    /// Forgets what was counted: it starts again.
    func reset() {
        xruns.store(0, ordering: .relaxed)
        silence.store(0, ordering: .relaxed)
        delay.store(-1, ordering: .relaxed)
        target.store(-1, ordering: .relaxed)
        hasMoved.store(false, ordering: .relaxed)
        isSilent.store(false, ordering: .relaxed)
    }

    /// Adds what is known of this direction.
    func tell(_ status: inout DeviceStatus) {
        func milliseconds(_ microseconds: Int) -> Double? { microseconds < 0 ? nil : Double(microseconds) / 1000 }
        if isCapture {
            status.captureXruns = xruns.load(ordering: .relaxed)
            status.captureLatencyMilliseconds = milliseconds(delay.load(ordering: .relaxed))
        } else {
            status.playbackXruns = xruns.load(ordering: .relaxed)
            status.playbackSilentMilliseconds = Double(silence.load(ordering: .relaxed)) / 1000
            status.playbackLatencyMilliseconds = milliseconds(delay.load(ordering: .relaxed))
            status.playbackTargetMilliseconds = milliseconds(target.load(ordering: .relaxed))
            status.machine = machine.reading
        }
    }
}

/// What somebody who looks at a board now and then tells of it.
struct BoardWatch {
    private var seenXruns = 0
    private var wasSilent = false

    /// What has happened since the last look.
    mutating func events(_ board: borrowing DirectionBoard) -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        let xruns = board.xruns.load(ordering: .relaxed)
        if xruns != seenXruns {
            seenXruns = xruns
            events.append(.xrun(capture: board.isCapture))
        }
        let isSilent = board.isSilent.load(ordering: .relaxed)
        if isSilent != wasSilent {
            wasSilent = isSilent
            events.append(isSilent ? .microphoneSilent : .microphoneHeard)
        }
        return events
    }
}
