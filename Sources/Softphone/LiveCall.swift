import Media
import Metrics
import Reporting

/// What happened to one of the parties of a call.
public struct PartyEvent: Sendable, Equatable {
    /// Whose call it is, from 0 on. What concerns the device is told with party 0.
    public var party: Int
    public var body: EventBody
    /// When it was told.
    public var time: Timestamp

    public init(party: Int, body: EventBody, time: Timestamp = .now()) {
        self.party = party
        self.body = body
        self.time = time
    }
}

/// A running call, or a conference of several, as its owner sees it. Every function may be called from any thread.
public protocol LiveCall: AnyObject, Sendable {
    /// Other sides there are.
    var parties: Int { get }
    /// Whether somebody called or was called. A listener that was told to stop before has no report.
    var wasCall: Bool { get }
    /// What kept its media from starting, once it had begun: a device that does not open, a file. `nil`: nothing did.
    var failure: SoftphoneError? { get }
    /// Tells what happens from now on, each event with the number of its party; a party's last is `callEnded`; where
    /// the place then waits for the next caller, `report` follows, and then the next caller's events. The first subscriber
    /// also gets what happened before it came. A subscriber that does not take its events loses the oldest, with a count, and
    /// never holds up the call.
    /// - Parameters:
    ///   - capacity: events that wait for this subscriber at most.
    ///   - onReady: called on a thread of the call's when events wait; `nil` for those who poll the subscription's descriptor.
    /// - Throws: `SoftphoneError.resources` when no descriptor is left.
    func subscribe(
        capacity: Int, onReady: (@Sendable () -> Void)?
    ) throws(SoftphoneError) -> EventSubscription<PartyEvent>
    /// Why a party's call ended; `nil` while it has not, or the next caller may take its place.
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
    /// Says BYE and ends the call; `callEnded` follows within some milliseconds.
    /// - Parameter byDuration: because `--duration` has passed, not because somebody hung up.
    func hangUp(byDuration: Bool)
    /// Stops threads and devices and closes files, once the call has ended or must. Not to be called from an `onReady`.
    /// - Returns: a report for each party that is or was there, but for those already told; none when it was closed before.
    func close() -> [(party: Int, report: CallReport)]
}

extension LiveCall {
    /// Answers a call that rings, with the sound that it was to have.
    public func answer() { answer(through: nil) }

    /// Subscribes with room for 1024 events.
    public func subscribe() throws(SoftphoneError) -> EventSubscription<PartyEvent> {
        try subscribe(capacity: 1024, onReady: nil)
    }
}
