import AudioUnits
import Network
import RTP
import Realtime
import Reporting

/// A call of a `MediaLoop` with what joins it to the world.
final class CallLeg {
    let call: Call
    let transport: MediaTransport
    let channel: CallChannel

    init(call: Call, transport: MediaTransport, channel: CallChannel) {
        self.call = call
        self.transport = transport
        self.channel = channel
    }
}

/// The live edge of a `MediaLoop`: one thread that waits for the capture ring and the play-out ring, and steps the loop when
/// the one has a frame or the other wants to be filled.
///
/// A packet does not wake it: the kernel notes when it came, and nothing is done with it before the next block is pulled.
/// That saves a wake-up for each.
///
/// It asks for a real-time priority below the device threads' and makes do without.
struct MediaThread: ~Copyable, @unchecked Sendable {
    /// Milliseconds between two snapshots of the statistics.
    static let snapshotMilliseconds = 200.0
    /// Milliseconds between two looks at RTCP's own socket: the kernel notes when a report came.
    static let controlMilliseconds = 50.0
    /// Longest sleep, so that a stalled device does not delay RTCP and time-outs.
    static let longestWaitMilliseconds = 100.0

    private let loop: MediaLoop
    private let legs: [CallLeg]
    private var usage = ProcessUsage()
    private var echoChange = EchoChange()
    private var echoWarnings = EchoWarnings()
    private var nextSnapshot = HostTime.zero
    private var nextControl = HostTime.zero
    private var isControlDue = true

    init(loop: MediaLoop, legs: [CallLeg]) {
        self.loop = loop
        self.legs = legs
    }

    /// Steps the loop until every call is over.
    mutating func run() {
        while legs.contains(where: { !$0.call.state.isEnded }) {
            let longest = HostTime.monotonicNow().advanced(byMilliseconds: Self.longestWaitMilliseconds)
            _ = loop.endpoint.bell.wait(until: min(longest, loop.nextDeadline ?? longest))
            turn()
        }
        publish(at: .monotonicNow())
    }

    private mutating func turn() {
        for leg in legs { receive(leg) }
        let now = HostTime.monotonicNow()
        isControlDue = now >= nextControl
        if isControlDue { nextControl = now.advanced(byMilliseconds: Self.controlMilliseconds) }
        let ntp = NTPTime.now()
        for leg in legs {
            for command in leg.channel.takeCommands() { perform(command, of: leg, now: now, ntp: ntp) }
        }
        loop.step(now: now, ntp: ntp)
        for leg in legs {
            for event in leg.call.takeEvents() {
                if event == .mediaStarted { leg.channel.setRemote(leg.transport.remote.map { "\($0)" }) }
                leg.channel.events.post(event)
            }
        }
        if now >= nextSnapshot { publish(at: now) }
    }

    /// Whoever mutes a conference silences the own microphone, not the other parties.
    private func perform(_ command: CallCommand, of leg: CallLeg, now: HostTime, ntp: NTPTime) {
        if case .mute(let muted) = command, loop.isConference {
            loop.isMicrophoneMuted = muted
        } else {
            leg.call.perform(command, now: now, ntp: ntp)
        }
    }

    private func receive(_ leg: CallLeg) {
        let call = leg.call
        leg.transport.receiveBatch(control: isControlDue) { datagram in
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
        for (index, leg) in legs.enumerated() { publish(leg, isFirst: index == 0, at: now) }
    }

    /// What concerns the device is told once, with the first call.
    private mutating func publish(_ leg: CallLeg, isFirst: Bool, at now: HostTime) {
        var figures = leg.call.statistics
        let network = leg.transport.statistics
        for reason in TransportDropReason.allCases where network[reason] > 0 {
            figures.drops[reason.rawValue] = network[reason]
            figures.packetsDiscarded = (figures.packetsDiscarded ?? 0) + network[reason]
        }
        figures.fill(from: loop.endpoint.unit)
        figures.fillRenderTurns(from: loop.endpoint.unit)
        if isFirst {
            if let change = echoChange.observe(figures.echo) { leg.channel.events.post(.echoState(change)) }
            for warning in echoWarnings.observe(figures.echo) { leg.channel.events.post(.warning(warning)) }
        }
        figures.playoutGaps = loop.playoutGaps
        usage.fill(&figures, now: now)
        leg.channel.publish(figures)
    }
}
