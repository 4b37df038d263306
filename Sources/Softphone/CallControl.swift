import Media
import Metrics
import Reporting

/// What can be seen of a call, or of a conference of several, and what a person can do in it: the same for whoever owns it.
public protocol CallControl: AnyObject {
    /// Other sides there are.
    var parties: Int { get }
    /// Whether somebody called or was called. A listener that was told to stop before has no report.
    var wasCall: Bool { get }
    /// What kept its media from starting, once it had begun: a device that does not open, a file. `nil`: nothing did.
    var failure: SoftphoneError? { get }
    /// Why a party's call ended; `nil` while it has not, or the next caller may take its place.
    func endReason(of party: Int) -> Media.EndReason?
    /// Answers a call that rings; nothing where none does.
    /// - Parameter bridge: where its media go; `nil`: where they were to go before.
    func answer(through bridge: CallBridge?)
    /// The latest figures of a party.
    func statistics(of party: Int) -> CallStatistics
    func setMuted(_ muted: Bool)
    func setHeld(_ held: Bool)
    /// Whether this side holds the call that is talked to: nothing is sent or heard, whatever the other side agrees to.
    var isHeld: Bool { get }
    /// Gain of what is heard, dB.
    func setVolume(decibels: Int)
    func send(digit: Character)
    /// Sends a text to the other side; `textSent` or a warning tells how it went.
    /// - Throws: `request` where there is nobody to take it, or nothing to send.
    func send(text: String) throws(SoftphoneError)
    /// Has the other side call somebody else; events say how that goes, and the call ends for the reason `transferred` when it has.
    /// - Parameter target: a URI, or what is called at the account's domain; empty: the other call, and both end.
    /// - Throws: `request` where the call cannot be transferred, or not there.
    func transfer(to target: String) throws(SoftphoneError)
    /// Where another call's other side may be connected with this one's; `nil`: it is no call by SIP, or not answered.
    var transferPlace: TransferPlace? { get }
    /// Connects the other side with that of another call; that one ends when it is done.
    /// - Throws: `request` where the call cannot be transferred.
    func transfer(replacing place: TransferPlace) throws(SoftphoneError)
    /// Records the call from now on (stereo WAV: left is sent, right is heard), or no longer. What was recorded is whole when the call
    /// is closed or this was called with `nil`.
    /// - Throws: `audioFile` or the like where the file cannot be made; `request` where there is nothing to record.
    func record(to path: String?) throws(SoftphoneError)
    /// Has something else at our end from now on. The other side hears a gap of some tens of milliseconds; a recording by `record` ends.
    /// - Throws: why that cannot be: a device that does not open, a file; the call goes on with what it had.
    func take(_ sound: CallSound) throws(SoftphoneError)
    /// Call-IDs of its messages by SIP (`SIPLadder`); empty: it has none.
    var dialogs: [String] { get }
    /// Where its packets are captured: a file for each stretch of its media, in their order; empty: nowhere.
    var captures: [String] { get }
    /// Copies both sides to `tap` from now on, also through whatever becomes of the media.
    /// - Parameter tap: `nil`: no more.
    /// - Throws: `request` where the call cannot be listened to.
    func listen(at tap: CallTap?) throws(SoftphoneError)
    /// Calls somebody else beside the call, which is held.
    /// - Throws: `request` where that cannot be now, or not there.
    func dial(_ target: String) throws(SoftphoneError)
    /// Holds the call that is talked to and takes up the other one.
    func switchCalls() throws(SoftphoneError)
    /// Makes one conversation of two calls.
    func join() throws(SoftphoneError)
    /// Refuses who calls beside a call; where nobody does, hangs up the call that is talked to and another one remains.
    /// - Returns: whether one does; if not, nothing was done.
    func hangUpActive() -> Bool
    /// Says BYE and ends the call; `callEnded` follows within some milliseconds.
    /// - Parameter byDuration: because `--duration` has passed, not because somebody hung up.
    func hangUp(byDuration: Bool)
    /// The same because the program ends. Who still rings is not declined: another telephone of the person's may be answered.
    func leave()
    /// Stops threads and devices and closes files, once the call has ended or must. Not to be called from an `onReady`.
    /// - Returns: a report for each party that is or was there, but for those already told; none when it was closed before.
    func close() -> [(party: Int, report: CallReport)]
}

extension CallControl {
    public var isHeld: Bool { false }

    public func transfer(to target: String) throws(SoftphoneError) {
        throw .request("only a call by SIP can be transferred; end this one and call anew")
    }

    public func send(text: String) throws(SoftphoneError) {
        throw .request("texts go with calls by SIP; this one carries the voice only")
    }

    public func record(to path: String?) throws(SoftphoneError) {
        throw .request("only calls by SIP are recorded on request; record the call that the browser is the handset of")
    }

    public func take(_ sound: CallSound) throws(SoftphoneError) {
        throw .request("only calls by SIP change their audio end; end this one, and make another one")
    }

    public var dialogs: [String] { [] }
    public var captures: [String] { [] }

    public func listen(at tap: CallTap?) throws(SoftphoneError) {
        throw .request("only calls by SIP are listened to; listen to the call that the browser is the handset of")
    }

    public var transferPlace: TransferPlace? { nil }
    public func transfer(replacing place: TransferPlace) throws(SoftphoneError) { try transfer(to: "") }
    public func dial(_ target: String) throws(SoftphoneError) { throw Self.single }
    public func switchCalls() throws(SoftphoneError) { throw Self.single }
    public func join() throws(SoftphoneError) { throw Self.single }
    public func hangUpActive() -> Bool { false }
    public func leave() { hangUp(byDuration: false) }

    private static var single: SoftphoneError { .request("only calls by SIP have another one beside them") }
}
