import AudioUnits
import Media
import Realtime

/// A session at a loop.
final class SeatedSession: LoopMember {
    private let turns: SessionTurns
    /// Moves its device.
    private let device: any DeviceTurns
    let turnMilliseconds: Int
    let gone: Bell
    /// Turns are not farther apart, in milliseconds: RTCP, digits and time-outs wait for them.
    private static let longestMilliseconds = 20.0
    /// The round of the loop that it had its last turn in.
    private var round: UInt64 = 0

    /// - Parameters:
    ///   - turns: what it does.
    ///   - device: moves its device.
    ///   - periodMilliseconds: of the device. One that is no multiple of a slot has its periods with the slot after their end.
    ///   - gone: rung when the loop has let go of all of it.
    init(_ turns: SessionTurns, device: any DeviceTurns, periodMilliseconds: Double, gone: Bell) {
        (self.turns, self.device, self.gone) = (turns, device, gone)
        let slot = TickWheel.usualMilliseconds
        turnMilliseconds = Int(max(1, (min(periodMilliseconds, Self.longestMilliseconds) / slot).rounded(.down)) * slot)
    }

    var isAsked: Bool { turns.isAsked }
    var isOver: Bool { turns.isOver }
    var handshakeDescriptors: [Int32] { turns.handshakeDescriptors }

    func turn() { turns.turn() }

    /// The periods that have ended pass, and after each the session does what is due.
    func turn(dueAt due: HostTime, now: HostTime, lateBy lateness: Double, round: UInt64) {
        let isFirst = self.round != round
        self.round = round
        var hasPassed = false
        while device.passPeriod(until: due, now: now, lateBy: isFirst && !hasPassed ? lateness : nil) {
            hasPassed = true
            turns.turn()
        }
        // What a stop left out needs no turns.
        if !hasPassed, isFirst { turns.turn() }
    }

    func limitComplexity(ofRunning running: Int, ofNew new: Int) { turns.limitComplexity(ofRunning: running, ofNew: new) }

    func measure(by watch: StageWatch) { turns.measure(by: watch) }

    func finish() { turns.finish() }
}
