import AudioDevices
import AudioUnits
import Glibc
import Link
import LiveMedia
import Media
import Network
import RTP
import Realtime
import Synchronization
import TestThreads
import Testing

/// Two parties of one process that call each other over UDP, hang up and call again, by chance on devices with threads of their own or
/// at threads that they share.
private final class CallAnvil: Sendable {
    static let threads = 8
    /// What the other threads strike at while a call is up: both sides' channels and units.
    private let sides = Lock<[(channel: CallChannel, unit: VoiceProcessingIO)]>([])
    /// The longest `finish` after hanging up so far, in milliseconds.
    let slowestFinish = Lock(0.0)
    let calls = Atomic<Int>(0)
    let strikes = Atomic<Int>(0)
    let packets = Atomic<Int>(0)
    /// Whether calls ran and were struck at.
    var hasHammered: Bool {
        calls.load(ordering: .relaxed) > 0 && strikes.load(ordering: .relaxed) > 100 && packets.load(ordering: .relaxed) > 0
    }
    private let loops = SessionLoops(count: 2)

    private func makeSide(remote: SocketAddress? = nil, seed: UInt64) throws -> (CallSession, VoiceProcessingIO, SocketAddress)
    {
        let unit = VoiceProcessingIO(device: VirtualDevice(.null))
        let socket = try UDPLink(bind: IPAddress(v4: 0x7f00_0001), remote: remote)
        let session = try CallSession(
            [CallParty(configuration: CallConfiguration(codec: .opus, seed: seed), socket: socket)], unit: unit,
            loops: seed % 2 == 0 ? nil : loops)
        return (session, unit, socket.local)
    }

    /// Whether it is over: at `end`, or up to a minute later where the machine stood still for most of the time.
    private func isOver(_ end: HostTime) -> Bool {
        let now = HostTime.monotonicNow()
        return now >= end && (hasHammered || now >= end.advanced(byMilliseconds: 60_000))
    }

    /// Calls and hangs up until `end`: whoever talks lets go of the call while others still press its keys.
    func call(seed: UInt64, until end: HostTime) throws {
        var dice = SplitMix64(seed: seed)
        while !isOver(end) {
            let (callee, answering, address) = try makeSide(seed: dice.next())
            let (caller, calling, _) = try makeSide(remote: address, seed: dice.next())
            for session in [callee, caller] { try session.start() }
            sides.withLock { $0 = [(callee.channel, answering), (caller.channel, calling)] }
            usleep(UInt32(dice.next() % 400_000))
            for session in [callee, caller] {
                let before = HostTime.monotonicNow()
                session.channel.send(.hangUp(.localHangup))
                _ = session.finish()
                let taken = HostTime.monotonicNow().milliseconds(since: before)
                slowestFinish.withLock { $0 = max($0, taken) }
                packets.wrappingAdd(session.channel.statistics.packetsReceived ?? 0, ordering: .relaxed)
            }
            calls.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Presses keys of whatever call is up until `end`.
    func strike(seed: UInt64, until end: HostTime) {
        var dice = SplitMix64(seed: seed)
        while !isOver(end) {
            let up = sides.withLock { $0 }
            guard let side = up.isEmpty ? nil : up[Int(dice.next() % UInt64(up.count))] else { continue }
            let isOn = dice.next() % 2 == 0
            switch dice.next() % 9 {
            case 0: side.channel.send(.mute(isOn))
            case 1: side.channel.send(.direction(isOn ? .inactive : .sendReceive))
            case 2: side.channel.send(.volume(Float(dice.next() % 5) / 2))
            case 3: side.channel.send(.digits(String(dice.next() % 10)))
            case 4: side.unit.isMuted = isOn
            case 5: side.unit.isBypassed = isOn
            case 6: side.unit.quality = isOn ? .high : .low
            case 7: _ = side.channel.statistics
            default: usleep(UInt32(dice.next() % 2000))
            }
            strikes.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

@Suite("Calls under the hammer")
struct CallHammerTests {
    /// Seconds of hammering: 2, or what `YODEL_HAMMER_SECONDS` says (`scripts/hammer`).
    private static let seconds = getenv("YODEL_HAMMER_SECONDS").flatMap { Double(String(cString: $0)) } ?? 2
    /// What takes longer to end, in milliseconds, hangs; how long it takes is printed.
    private static let limit = 20_000.0
    private static let seed = getenv("YODEL_HAMMER_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

    @Test("start, stop, mute, hold, volume, digits and the unit's switches at random from 8 threads: every call ends quickly")
    func hammer() throws {
        let anvil = CallAnvil()
        let end = HostTime.monotonicNow().advanced(byMilliseconds: Self.seconds * 1000)
        let failure = Lock<String?>(nil)
        try onOwnThreads(CallAnvil.threads) { thread in
            let seed = Self.seed &* 100 &+ UInt64(thread)
            guard thread == 0 else { return anvil.strike(seed: seed, until: end) }
            do {
                try anvil.call(seed: seed, until: end)
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        let slowest = anvil.slowestFinish.withLock { $0 }
        let (calls, strikes) = (anvil.calls.load(ordering: .relaxed), anvil.strikes.load(ordering: .relaxed))
        print("hammer: \(calls) calls, \(strikes) strikes in \(Self.seconds) s, slowest end \(slowest) ms, seed \(Self.seed)")
        #expect(failure.withLock { $0 } == nil, "seed \(Self.seed)")
        #expect(slowest < Self.limit, "seed \(Self.seed)")
        #expect(anvil.hasHammered, "\(calls) calls, \(strikes) strikes, seed \(Self.seed)")
    }
}
