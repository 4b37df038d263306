import Media
import Realtime

/// What a loop gives turns to, and lets go of once it is over.
package protocol LoopMember: AnyObject {
    /// From one turn to the next, in milliseconds.
    var turnMilliseconds: Int { get }
    /// Rung when the loop has let go of all of it.
    var gone: Bell { get }
    /// Whether it asks for a turn before its time.
    var isAsked: Bool { get }
    /// Whether it needs no turn any more.
    var isOver: Bool { get }
    /// Where packets come that are not to wait for its next turn; empty: there is none.
    var handshakeDescriptors: [Int32] { get }
    /// A turn because of what has come.
    func turn()
    /// A turn by the clock.
    /// - Parameters:
    ///   - due: when it was due.
    ///   - now: the time it is.
    ///   - lateness: milliseconds by which the machine is late with it.
    ///   - round: the loop's, which may make up for several turns at once.
    func turn(dueAt due: HostTime, now: HostTime, lateBy lateness: Double, round: UInt64)
    /// Encoders work no more than that from now on, 0...10.
    /// - Parameters:
    ///   - running: those of the calls there are.
    ///   - new: those of calls that come.
    func limitComplexity(ofRunning running: Int, ofNew new: Int)
    /// What its work takes is measured from now on.
    func measure(by watch: StageWatch)
    /// The last that is asked of it.
    func finish()
}
