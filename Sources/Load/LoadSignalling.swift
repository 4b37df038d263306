import Codecs
import Link
import LiveMedia
import Realtime
import Signalling
import Softphone
import Synchronization

/// Signals the calls of a load by SIP, on a thread of its own: who sends packets only asks for it, and waits for nothing.
final class LoadSignalling: Sendable {
    /// A server that has not said a word for so long says none any more (RFC 3261 timer B); nobody is to ring for longer, in seconds.
    private static let answerSeconds = 32.0
    /// What the goodbyes' answers are waited for at the end, in seconds.
    private static let shutdownSeconds = 2.0

    private let lines: LoadLines
    private let signalling: any CallSignalling
    private let target: String
    private let account: String?
    private let bind: IPAddress?
    /// Processor time of its thread, in microseconds.
    private let processor: ProcessorTime

    /// Binds its sockets; nobody is called yet.
    /// - Throws: a call that cannot be made, or no port.
    init(_ request: SIPRequest) throws(SoftphoneError) {
        try request.check()
        guard case .call(let target) = request.purpose else { throw .defect("a load that is to be called") }
        (self.target, account, bind) = (target, request.account?.name, request.media.bind)
        var configuration = SIPPhone.configuration(request)
        // Nobody calls a load.
        configuration.callers = .listed([])
        configuration.ringingLimit = Self.answerSeconds
        (configuration.media.telephoneEvents, configuration.media.comfortNoise) = (false, false)
        // Each call has one port.
        configuration.media.sharesPort = true
        let (lines, processor) = (LoadLines(), ProcessorTime())
        (self.lines, self.processor) = (lines, processor)
        do throws(SignallingStartError) {
            signalling = try SIPSignalling(configuration) { event in
                lines.take(event, at: .monotonicNow())
                processor.note()
            }
        } catch {
            throw SoftphoneError(error)
        }
    }

    /// Processor time of its thread, in milliseconds.
    var processorMilliseconds: Double { processor.milliseconds }

    /// Calls; returns at once.
    /// - Parameters:
    ///   - number: the call's.
    ///   - codec: that it offers.
    ///   - port: where its packets come.
    ///   - runner: is told what comes of it.
    func invite(_ number: Int, _ codec: Codec, port: UInt16, telling runner: Mailbox<LoadSignal>) -> SignalledCallID {
        let ports = LocalPorts(address: bind.map { "\($0)" }, port: port, controlPort: port)
        var call = OutgoingCall(target: target, account: account, encryption: .off, media: ports)
        call.codecs = [codec]
        return lines.open(number, telling: runner) { [call] in signalling.invite(call) }
    }

    /// Ends a call in whatever state it is; returns at once.
    func hangUp(_ call: SignalledCallID) { signalling.hangUp(call) }

    /// Ends all calls, waits for the answers a moment, and closes the sockets.
    func close() { waitForShutdown(of: signalling, within: Self.shutdownSeconds) }
}

/// What the thread that notes it has used.
private final class ProcessorTime: Sendable {
    private let microseconds = Atomic<Int>(0)

    func note() { microseconds.store(Int(1000 * ThreadTime.milliseconds), ordering: .relaxed) }

    var milliseconds: Double { Double(microseconds.load(ordering: .relaxed)) / 1000 }
}
