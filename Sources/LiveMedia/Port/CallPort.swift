import AudioFiles
import Codecs
import Link
import Media
import Network
import Realtime
import Threads

/// What a port of many calls is made of; settled before it opens.
public struct PortPlan: Sendable {
    /// What all its calls are made of; each has a seed of its own.
    public var configuration: CallConfiguration
    /// Calls at a time.
    public var parties: Int
    /// Where their sound comes from and goes.
    public var sound: PortSound
    /// Who may call; empty: anyone.
    public var allow: [CIDR] = []
    /// Where each call is recorded; `nil`: nowhere.
    public var recordingFolder: String?
    /// Whether real-time priority is asked for.
    public var realtime = true

    public init(configuration: CallConfiguration, parties: Int, sound: PortSound) {
        (self.configuration, self.parties, self.sound) = (configuration, parties, sound)
    }
}

/// A port at which up to thousands call, each by himself or in a conference, without a device: port, loop and disk, opened together,
/// closed together.
public final class CallPort: @unchecked Sendable {
    /// Where it listens.
    public let local: SocketAddress
    /// The loop's granted scheduling.
    public let policy: ThreadPolicy
    private let control: PortControl
    private let shelf: RecordingShelf?
    private let disk: DiskThread?
    private var thread: RealtimeThread?

    /// Opens the port; callers are taken from now on.
    /// - Parameters:
    ///   - bind: local address; nil: every interface.
    ///   - localPort: for RTP, and with separate RTCP the next one; 0: a free pair.
    public init(
        _ plan: PortPlan, bind: IPAddress?, localPort: UInt16, rtcp: RTCPTransport
    ) throws(CallPortError) {
        do { _ = try Call(configuration: plan.configuration, link: NoLink(), now: .zero) } catch { throw .codec(error) }
        let port: MediaPort
        do { port = try MediaPort(bind: bind, localPort: localPort, rtcp: rtcp) } catch { throw .network(error) }
        local = port.local
        let rate = plan.configuration.stream.audioRate
        let shelf = plan.recordingFolder.map { RecordingShelf(folder: $0, sampleRate: rate) }
        self.shelf = shelf
        disk = shelf.map { DiskThread(name: "recorder", clients: [$0]) }
        do {
            let control = try PortControl()
            self.control = control
            try disk?.start()
            let started = try RealtimeThread(
                name: "calls", policy: plan.realtime ? .realtime(priority: CallSession.mediaPriority) : .normal,
                owning: PortLoop(plan, port: port, control: control, shelf: shelf)
            ) { $0.run() }
            policy = started.granted
            thread = consume started
        } catch {
            throw .resources("\(error)")
        }
    }

    /// Readable while events wait.
    public var eventDescriptor: Int32 { control.events.signal.fileDescriptor }

    /// What has happened since the last time, oldest first.
    public func takeEvents() -> [PortEvent] { control.events.takeAll() }

    /// What went wrong with recordings since the last time, for a person.
    public func takeFileWarnings() -> [String] { shelf?.takeWarnings() ?? [] }

    /// The latest figures, at most a second old.
    public var figures: PortFigures { control.figures }

    /// Hangs up on everybody and closes port and files; for the thread that owns it, once. Events that wait can still be taken.
    public func close(_ reason: EndReason = .localHangup) {
        control.end(reason)
        if let running = thread.take() { running.join() }
        disk?.finish(withinMilliseconds: 3000)
    }
}

/// Why a port of many calls cannot be opened.
public enum CallPortError: Error, Sendable {
    /// The codec does not take its settings.
    case codec(CodecError)
    case network(NetworkError)
    /// The system has no memory, threads or descriptors left.
    case resources(String)
}

/// A link that leads nowhere: to try whether a call can be made at all.
private final class NoLink: LinkEnd {
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool { false }
}
