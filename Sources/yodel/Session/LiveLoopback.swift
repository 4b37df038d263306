import AudioDevices
import AudioUnits
import Calling
import Network
import Realtime
import Reporting
import Simulation

/// Two live calls in one process that call each other over real UDP, each in its own simulated room.
final class LiveLoopback {
    private let plan: LoopbackPlan
    private let sessions: [CallSession]
    private var start = HostTime.zero

    init(_ plan: LoopbackPlan) throws(CallError) {
        self.plan = plan
        do {
            let loopback = IPAddress(v4: 0x7f00_0001)
            let a = try MediaTransport(bind: loopback, localPort: 0, rtcp: .mux)
            let b = try MediaTransport(bind: loopback, localPort: 0, remote: a.local, rtcp: .mux)
            sessions = [
                try Self.session(plan, side: 0, transport: a),
                try Self.session(plan, side: 1, transport: b),
            ]
        } catch let error as NetworkError {
            throw .network(error)
        } catch let error as CallError {
            throw error
        } catch {
            throw .resources("\(error)")
        }
    }

    private static func session(
        _ plan: LoopbackPlan, side: Int, transport: MediaTransport
    ) throws(CallError) -> CallSession {
        let configuration = plan.configuration(side: side)
        let rate = plan.deviceRate ?? plan.codec.sampleRate
        let device = VirtualDevice(
            .room(plan.room),
            options: DeviceOptions(
                seed: plan.seed &+ UInt64(side), nearEnd: plan.talker(side: side, sampleRate: rate)))
        let socket = SocketPort(transport)
        let port = EmulatedPort(
            conditions: plan.network, seed: plan.seed &* 4 &+ UInt64(side), now: .monotonicNow()
        ) { packet in
            packet.bytes.withUnsafeBytes { bytes in
                switch packet.stream {
                case .rtp: socket.send(rtp: bytes)
                case .rtcp: socket.send(rtcp: bytes)
                }
            }
        }
        return try CallSession(
            configuration: configuration, unit: try makeUnit(plan, device: device, rate: rate), transport: transport,
            port: port, dumpFolder: plan.dumpFolder, dumpSide: side == 0 ? "a" : "b", realtime: plan.realtime)
    }

    /// Runs the whole call in real time, or until `isInterrupted`.
    func run(isInterrupted: () -> Bool, onEvent: (Event) -> Void) throws(CallError) -> LoopbackReport {
        start = .monotonicNow()
        for session in sessions { try session.start() }
        for (session, name) in zip(sessions, ["a", "b"]) {
            let facts = session.granted.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            logger.debug("\(name): \(facts.joined(separator: ", "))")
        }
        var convergence: Double?
        var tick = start
        var seconds = 0.0
        while seconds < plan.seconds, !isInterrupted() {
            tick = tick.advanced(byMilliseconds: 50)
            tick.sleepUntil()
            seconds = HostTime.monotonicNow().milliseconds(since: start) / 1000
            if convergence == nil, sessions.allSatisfy({ $0.channel.statistics.echo?.converged == true }) {
                convergence = seconds
            }
            for (session, name) in zip(sessions, ["a", "b"]) {
                for event in session.channel.events.takeAll() {
                    for body in translate(event, of: session) { onEvent(Event(body, callID: name)) }
                }
            }
        }
        for session in sessions { session.channel.send(.hangUp(.duration)) }
        for session in sessions { _ = session.finish() }
        var report = LoopbackReport(
            plan, a: sessions[0].channel.statistics, b: sessions[1].channel.statistics)
        report.durationSeconds = seconds
        report.convergenceSeconds = convergence
        return report
    }

    private func translate(_ event: CallEvent, of session: CallSession) -> [EventBody] {
        switch event {
        case .mediaStarted:
            // Both sides have the same address and, by symmetric RTP, learn each other's port.
            [.mediaStarted(remote: "127.0.0.1", afterMilliseconds: HostTime.monotonicNow().milliseconds(since: start))]
        case .sourceChanged(let from, let to): [.ssrcChanged(from: from, to: to)]
        case .bufferReset(let reason): [.bufferReset(reason: reason)]
        case .digitReceived(let digit, _): [.dtmf(digit: String(digit), direction: .received)]
        case .echoState(let figures): [.echoState(figures)]
        case .warning(let message): [.warning(message)]
        case .device(let event): [EventBody(event, of: session.unit.device)]
        case .session(let event): EventBody.of(event)
        case .ended(let reason): [.callEnded(reason: reason.rawValue, durationSeconds: nil)]
        }
    }
}
