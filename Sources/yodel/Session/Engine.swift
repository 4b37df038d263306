import AudioDevices
import Media
import Metrics
import Reporting
import Settings
import Simulation

/// A running call, or a conference of several, as the command line sees it. Every function may be called from the main
/// thread only.
protocol LiveCall: AnyObject {
    /// Other sides there are.
    var parties: Int { get }
    /// Readable while events wait.
    var eventDescriptors: [Int32] { get }
    /// Takes the events that wait, each with the number of its party; one party's oldest first. Its last is `callEnded`.
    func takeEvents() -> [(party: Int, body: EventBody)]
    /// Why a party's call ended; `nil` while it has not.
    func endReason(of party: Int) -> Media.EndReason?
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
    /// - Returns: a report for each party.
    func close() -> [CallReport]
}

/// What a loopback test is told while it runs.
struct LoopbackRequest {
    var options: MediaOptions
    /// Checked `--network`; clean unless given.
    var conditions: NetworkConditions
    /// As it was written; `nil` when not given.
    var scenario: String?
    /// In virtual time.
    var offline: Bool
}

/// The calls behind the commands.
protocol Engine: Sendable {
    /// Opens sockets and devices and starts a call, or waits for one.
    /// - Parameter echoes: sends back what it hears (`listen --echo`).
    func start(
        _ uris: [CallURI], role: CallURI.Role, echoes: Bool, _ options: MediaOptions
    ) throws(CommandError) -> any LiveCall

    /// Runs a loopback test to its end, or until `isInterrupted` says so: it is asked at least every 50 ms.
    func loopback(
        _ request: LoopbackRequest, isInterrupted: () -> Bool, onEvent: (Event) -> Void
    ) throws(CommandError) -> LoopbackReport

    /// What can be opened, and why something cannot.
    func devices() -> [DeviceListing]

    /// Plays a tone and calls `onLevel` with the microphone's level in dBov five times a second until `isInterrupted`.
    func testDevice(
        _ options: MediaOptions, isInterrupted: () -> Bool, onLevel: (Double) -> Void
    ) throws(CommandError)
}
