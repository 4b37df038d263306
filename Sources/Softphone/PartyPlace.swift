import AudioSession
import AudioUnits
import LiveMedia
import Threads

/// Where the parties of a `SessionCall` are: in a session of their own, or in a bridge with other calls. One thread at a time.
protocol PartyPlace: AnyObject {
    /// Of each party, from the first on.
    var channels: [CallChannel] { get }
    var device: any HardwareDevice { get }
    /// What device, unit and system granted.
    var granted: [String: String] { get }
    /// The media thread's granted scheduling; `nil` before the start.
    var mediaPolicy: ThreadPolicy? { get }
    var audio: AudioSession? { get }
    /// Channels that the device plays; `nil`: not known, or nobody listens there.
    var playedChannels: Int? { get }
    /// What is new about the files that are written.
    func takeFileWarnings() -> [String]
    /// Records from now on, or no longer.
    func record(to path: String?) throws(CallError)
    /// The parties have been hung up on: waits until nothing here uses their links and sockets any more.
    func leave()
}

extension CallSession: PartyPlace {
    var device: any HardwareDevice { unit.device }
    var playedChannels: Int? { (try? unit.format(scope: .output, element: 0))?.channels }
    func leave() { finish() }

    func record(to path: String?) throws(CallError) {
        if let path { try startRecording(path: path) } else { stopRecording() }
    }
}
