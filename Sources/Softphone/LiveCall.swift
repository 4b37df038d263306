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
public protocol LiveCall: CallControl, Sendable {
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
}

extension LiveCall {
    /// Answers a call that rings, with the sound that it was to have.
    public func answer() { answer(through: nil) }

    /// Subscribes with room for 1024 events.
    public func subscribe() throws(SoftphoneError) -> EventSubscription<PartyEvent> {
        try subscribe(capacity: 1024, onReady: nil)
    }
}
