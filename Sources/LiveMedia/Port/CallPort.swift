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
    /// Whether each thread is tied to a core, where the system allows it.
    public var pinsThreads = false
    /// Threads that share the calls; a conference has one.
    public var loops: Int

    /// Calls for which a thread of its own pays, which wakes up 200 times a second: where each is encoded in Opus, they fill half of a core.
    private static let (callsOfLoop, callsOfEncodingLoop) = (250, 25)

    public init(configuration: CallConfiguration, parties: Int, sound: PortSound) {
        (self.configuration, self.parties, self.sound) = (configuration, parties, sound)
        let stream = configuration.stream
        let mayBeOpus = stream.codec == .opus || stream.alsoReceives.contains { $0.codec == .opus }
        let isEncoded = sound == .echo || !stream.announcement.isEmpty
        let calls = mayBeOpus && isEncoded ? Self.callsOfEncodingLoop : Self.callsOfLoop
        loops = sound == .conference ? 1 : min(CoreAffinity.cores, (parties + calls - 1) / calls)
    }
}

/// A port at which up to thousands call, each by himself or in a conference, without a device: port, loops and disk, opened together,
/// closed together.
///
/// Sendable: the threads are the owner's, who alone calls `close`; all else is constant and safe from any thread.
public final class CallPort: @unchecked Sendable {
    /// Where it listens.
    public let local: SocketAddress
    /// The loops' granted scheduling.
    public let policy: ThreadPolicy
    private let control: PortControl
    private let recordings: PortRecordings?
    private let collector: DiskThread?
    private let disk: DiskThread?
    /// In boxes: a noncopyable value cannot live in an array.
    private var threads: [LoopThread] = []

    /// Opens the port; callers are taken from now on.
    /// - Parameters:
    ///   - plan: what its calls are like.
    ///   - bind: local address; nil: every interface.
    ///   - localPort: for RTP, and with separate RTCP the next one; 0: a free pair.
    ///   - rtcp: where RTCP comes and goes.
    public init(
        _ plan: PortPlan, bind: IPAddress?, localPort: UInt16, rtcp: RTCPTransport
    ) throws(CallPortError) {
        do { _ = try Call(configuration: plan.configuration, link: NoLink(), now: .zero) } catch { throw .codec(error) }
        let loops = plan.sound == .conference ? 1 : max(1, plan.loops)
        let ports: [MediaPort]
        do { ports = try MediaPort.group(loops, bind: bind, localPort: localPort, rtcp: rtcp) } catch { throw .network(error) }
        local = ports[0].local
        let recordings = PortRecordings(plan)
        self.recordings = recordings
        collector = recordings.map {
            DiskThread(
                name: "collector", clients: [$0.collecting], intervalMilliseconds: PortRecordings.collectingMilliseconds)
        }
        disk = recordings.map { DiskThread(name: "recorder", clients: [$0]) }
        do {
            let control = try PortControl(loops: loops)
            self.control = control
            try collector?.start()
            try disk?.start()
            var granted = ThreadPolicy.normal
            for (index, port) in ports.enumerated() {
                let loop = PortLoop(plan, port: port, control: control, index: index, recordings: recordings)
                do {
                    let started = try RealtimeThread(
                        name: "calls-\(index)",
                        policy: plan.realtime ? .realtime(priority: CallSession.mediaPriority) : .normal, owning: loop
                    ) { $0.run() }
                    granted = started.granted
                    threads.append(LoopThread(started))
                } catch {
                    control.end(.localHangup)
                    for thread in threads { thread.join() }
                    throw error
                }
            }
            policy = granted
        } catch {
            Self.finish(collector, disk)
            throw .resources("\(error)")
        }
    }

    /// Readable while events wait.
    public var eventDescriptor: Int32 { control.events.signal.fileDescriptor }

    /// What has happened since the last time, oldest first.
    public func takeEvents() -> [PortEvent] { control.events.takeAll() }

    /// What went wrong with recordings since the last time, for a person.
    public func takeFileWarnings() -> [String] { recordings?.takeWarnings() ?? [] }

    /// The latest figures, at most a second old.
    public var figures: PortFigures { control.figures }

    /// Hangs up on everybody and closes port and files; for the thread that owns it, once. Events that wait can still be taken.
    public func close(_ reason: EndReason = .localHangup) {
        control.end(reason)
        for thread in threads { thread.join() }
        threads = []
        Self.finish(collector, disk)
    }

    /// What the rings hold goes to the disk, which is not waited for long.
    private static func finish(_ collector: DiskThread?, _ disk: DiskThread?) {
        collector?.finish(withinMilliseconds: 1000)
        disk?.finish(withinMilliseconds: 3000)
    }
}

/// A loop's thread.
private final class LoopThread {
    private var thread: RealtimeThread?

    init(_ thread: consuming RealtimeThread) { self.thread = consume thread }

    func join() { if let running = thread.take() { running.join() } }
}

/// Why a port of many calls cannot be opened.
public enum CallPortError: Error, Sendable {
    /// The codec does not take its settings.
    case codec(CodecError)
    case network(NetworkError)
    /// The system has no memory, threads or descriptors left.
    case resources(String)
}
