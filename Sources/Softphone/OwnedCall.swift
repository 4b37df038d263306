import Media
import Metrics
import Reporting

/// A call as one thread at a time sees it: what `RunningCall` makes a `LiveCall` of. Raw calls and calls by SIP are two kinds.
protocol OwnedCall: AnyObject {
    /// Other sides there are.
    var parties: Int { get }
    /// Whether somebody called or was called.
    var wasCall: Bool { get }
    /// What kept its media from starting, once it had begun; `nil`: nothing did.
    var failure: SoftphoneError? { get }
    /// Readable while events wait. They may be others after each call of a function here.
    var eventDescriptors: [Int32] { get }
    /// Takes the events that wait, each with the number of its party; one party's oldest first.
    func takeEvents() -> [(party: Int, body: EventBody)]
    /// Why a party's call ended; `nil` while it has not.
    func endReason(of party: Int) -> Media.EndReason?
    /// Answers a call that rings; nothing where none does.
    /// - Parameter bridge: where its media go; `nil`: where they were to go before.
    func answer(through bridge: CallBridge?)
    /// The latest figures of a party.
    func statistics(of party: Int) -> CallStatistics
    func setMuted(_ muted: Bool)
    func setHeld(_ held: Bool)
    /// Gain of what is heard, dB.
    func setVolume(decibels: Int)
    func send(digit: Character)
    /// Ends the call; `callEnded` follows.
    func hangUp(byDuration: Bool)
    /// Stops threads and devices and closes files.
    /// - Returns: a report for each party that is or was there, but for those already told.
    func close() -> [(party: Int, report: CallReport)]
}
