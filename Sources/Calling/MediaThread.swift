import AudioUnits
import Network
import RTP
import Realtime
import Reporting

/// The live edge of a `MediaLoop`: one thread that waits for the capture ring and the play-out ring, and steps the loop when
/// either has something.
///
/// A packet does not wake it: the kernel notes when it came, and nothing is done with it before the next block is pulled.
/// That saves a wake-up for each.
///
/// It asks for a real-time priority below the device threads' and makes do without.
struct MediaThread: ~Copyable, @unchecked Sendable {
    /// Milliseconds between two snapshots of the statistics.
    static let snapshotMilliseconds = 200.0
    /// Longest sleep, so that a stalled device does not delay RTCP and time-outs.
    static let longestWaitMilliseconds = 100.0

    private let loop: MediaLoop
    private let call: Call
    private let transport: MediaTransport
    private let channel: CallChannel
    private let poller: Poller
    private var usage = ProcessUsage()
    private var echoChange = EchoChange()
    private var echoWarnings = EchoWarnings()
    private var nextSnapshot = HostTime.zero

    init(loop: MediaLoop, call: Call, transport: MediaTransport, channel: CallChannel) {
        self.loop = loop
        self.call = call
        self.transport = transport
        self.channel = channel
        poller = Poller([
            loop.endpoint.captureSignal.fileDescriptor, loop.endpoint.playoutSignal.fileDescriptor,
            channel.commands.signal.fileDescriptor,
        ])
    }

    /// Steps the loop until the call is over.
    mutating func run() {
        while !call.state.isEnded {
            let longest = HostTime.monotonicNow().advanced(byMilliseconds: Self.longestWaitMilliseconds)
            _ = poller.wait(until: min(longest, loop.nextDeadline ?? longest))
            turn()
        }
        publish(at: .monotonicNow())
    }

    private mutating func turn() {
        // Only what is readable is read: at 200 turns a second the empty system calls would show.
        if poller.isReady(0) { loop.endpoint.captureSignal.drain() }
        if poller.isReady(1) { loop.endpoint.playoutSignal.drain() }
        receive()
        let now = HostTime.monotonicNow()
        let ntp = NTPTime.now()
        if poller.isReady(2) {
            for command in channel.commands.takeAll() { call.perform(command, now: now, ntp: ntp) }
        }
        loop.step(now: now, ntp: ntp)
        for event in call.takeEvents() {
            if event == .mediaStarted { channel.setRemote(transport.remote.map { "\($0)" }) }
            channel.events.post(event)
        }
        if now >= nextSnapshot { publish(at: now) }
    }

    private func receive() {
        transport.receiveBatch { datagram in
            loop.capture?.add(received: datagram)
            switch datagram.kind {
            case .rtp: call.receive(rtp: datagram.bytes, arrival: datagram.arrival)
            case .rtcp: call.receive(rtcp: datagram.bytes, arrival: datagram.arrival)
            default: break
            }
        }
    }

    private mutating func publish(at now: HostTime) {
        nextSnapshot = now.advanced(byMilliseconds: Self.snapshotMilliseconds)
        var figures = call.statistics
        let network = transport.statistics
        for reason in TransportDropReason.allCases where network[reason] > 0 {
            figures.drops[reason.rawValue] = network[reason]
            figures.packetsDiscarded = (figures.packetsDiscarded ?? 0) + network[reason]
        }
        figures.fill(from: loop.endpoint.unit)
        figures.fillRenderTurns(from: loop.endpoint.unit)
        if let change = echoChange.observe(figures.echo) { channel.events.post(.echoState(change)) }
        for warning in echoWarnings.observe(figures.echo) { channel.events.post(.warning(warning)) }
        figures.playoutGaps = loop.playoutGaps
        usage.fill(&figures, now: now)
        channel.publish(figures)
    }
}
