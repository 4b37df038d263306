import AudioDevices
import AudioUnits
import Link
import LiveMedia
import Media
import Network
import Realtime
import Reporting
import Simulation
import Softphone
import Threads

/// Two live calls in one process that call each other over real UDP, each in its own simulated room.
final class LiveLoopback {
    private let plan: LoopbackPlan
    private let sessions: [CallSession]
    private var start = HostTime.zero

    init(_ plan: LoopbackPlan) throws(CallError) {
        self.plan = plan
        do {
            let loopback = IPAddress(v4: 0x7f00_0001)
            let a = try UDPLink(bind: loopback)
            let b = try UDPLink(bind: loopback, remote: a.local)
            let encryption = plan.encrypts ? try EncryptedPair(waiting: a, calling: b) : nil
            sessions = try [a, b].enumerated().map { side, socket in
                try Self.session(plan, side: side, socket: socket, encrypted: encryption?.links[side])
            }
        } catch let error as NetworkError {
            throw .network(error)
        } catch let error as CallError {
            throw error
        } catch {
            throw .resources("\(error)")
        }
    }

    private static func session(
        _ plan: LoopbackPlan, side: Int, socket: UDPLink, encrypted: (any PacketLink)?
    ) throws(CallError) -> CallSession {
        let configuration = plan.configuration(side: side)
        let rate = plan.deviceRate ?? plan.codec.sampleRate
        let device = VirtualDevice(
            .room(plan.room),
            options: DeviceOptions(
                seed: plan.seed &+ UInt64(side), nearEnd: plan.talker(side: side, sampleRate: rate)))
        let link = EmulatedLink(
            over: encrypted ?? LatchingLink(over: socket, seed: configuration.seed), conditions: plan.network,
            seed: plan.seed &* 4 &+ UInt64(side), now: .monotonicNow())
        return try CallSession(
            CallParty(configuration: configuration, socket: socket, link: link),
            unit: try makeUnit(plan, device: device, rate: rate), dumpFolder: plan.dumpFolder, dumpSide: side == 0 ? "a" : "b",
            realtime: plan.realtime)
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
                    // Both sides have one address and, by symmetric RTP, learn each other's port.
                    let bodies = EventBody.of(
                        event, device: session.unit.device, remote: "127.0.0.1", start: start, mediaStart: nil)
                    for body in bodies { onEvent(Event(body, callID: name)) }
                }
                for warning in session.takeFileWarnings() { onEvent(Event(.warning(warning), callID: name)) }
            }
        }
        for session in sessions { session.channel.send(.hangUp(.duration)) }
        for (session, name) in zip(sessions, ["a", "b"]) {
            session.finish()
            for warning in session.takeFileWarnings() { onEvent(Event(.warning(warning), callID: name)) }
        }
        var report = LoopbackReport(
            plan, a: sessions[0].channel.statistics, b: sessions[1].channel.statistics)
        report.durationSeconds = seconds
        report.convergenceSeconds = convergence
        return report
    }
}
