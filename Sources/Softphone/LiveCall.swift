import Media
import Metrics
import Reporting

/// A running call, or a conference of several, as its owner sees it. Every function belongs to the thread that started it.
public protocol LiveCall: AnyObject {
    /// Other sides there are.
    var parties: Int { get }
    /// Readable while events wait.
    var eventDescriptors: [Int32] { get }
    /// Takes the events that wait, each with the number of its party; one party's oldest first. Its last is `callEnded`; where
    /// the place then waits for the next caller, `report` follows, and then the next caller's events.
    func takeEvents() -> [(party: Int, body: EventBody)]
    /// Why a party's call ended; `nil` while it has not, or the next caller may take its place.
    func endReason(of party: Int) -> Media.EndReason?
    /// Answers a call that rings; nothing where none does.
    func answer()
    /// The latest figures of a party.
    func statistics(of party: Int) -> CallStatistics
    func setMuted(_ muted: Bool)
    func setHeld(_ held: Bool)
    /// Gain of what is heard, dB.
    func setVolume(decibels: Int)
    func send(digit: Character)
    /// Says BYE and ends the call; `callEnded` follows within some milliseconds.
    /// - Parameter byDuration: because `--duration` has passed, not because somebody hung up.
    func hangUp(byDuration: Bool)
    /// Stops threads and devices and closes files, once the call has ended or must.
    /// - Returns: a report for each party that is or was there, but for those already told.
    func close() -> [(party: Int, report: CallReport)]
}
