import AudioUnits
import Link
import LiveMedia
import Network
import Realtime
import Simulation
import Threads

/// A live call between two endpoints of this process, over real UDP and on the devices' own threads, audited.
public struct AuditedLiveCall {
    /// What the callbacks did.
    public let book: AuditBook
    /// RTP packets that each side got.
    public let packetsReceived: [Int]

    /// Calls for `seconds`, mutes and unmutes meanwhile, and hangs up.
    /// - Parameters:
    ///   - period: of the devices, in milliseconds.
    ///   - makeDevice: the device of side 0 and of side 1, at 48 kHz.
    public init(
        seconds: Int, period: Double = 10, makeDevice: (_ side: Int, LoopbackPlan) throws -> any HardwareDevice
    ) throws {
        book = AuditBook()
        var plan = LoopbackPlan()
        plan.periodMilliseconds = period
        plan.seconds = Double(seconds)
        plan.wrapDevice = book.wrap
        let here = IPAddress(v4: 0x7f00_0001)
        let a = try UDPLink(bind: here)
        let b = try UDPLink(bind: here, remote: a.local)
        let sessions = try [a, b].enumerated().map { side, socket in
            try CallSession(
                CallParty(configuration: plan.configuration(side: side), socket: socket),
                unit: makeUnit(plan, device: makeDevice(side, plan), rate: 48_000))
        }
        for session in sessions { try session.start() }
        let start = HostTime.monotonicNow()
        for second in 1...seconds {
            start.advanced(byMilliseconds: Double(second) * 1000).sleepUntil()
            for session in sessions { session.channel.send(.mute(second % 3 == 0)) }
        }
        for session in sessions { session.channel.send(.hangUp(.duration)) }
        for session in sessions { _ = session.finish() }
        packetsReceived = sessions.map { $0.channel.statistics.packetsReceived ?? 0 }
    }
}
