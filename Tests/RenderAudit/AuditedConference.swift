import AudioDevices
import AudioUnits
import Codecs
import Link
import LiveMedia
import Media
import Network
import Realtime
import Simulation

/// A conference at one UDP port, of whoever calls in whatever codec, on the devices' own threads, audited: Opus of 20 ms, PCMU of
/// 10 ms, G.722 of 40 ms. Meanwhile the second leaves and comes back as another source in PCMA, and the first goes over to PCMU.
public struct AuditedConference {
    /// What the callbacks did: of the port's device, then of the callers'.
    public let book: AuditBook
    /// The codecs that the port followed its callers into.
    public let followed: Set<Codec>
    /// RTP packets that each caller got.
    public let packetsReceived: [Int]

    /// Runs it; `stepSeconds` lie between what happens.
    public init(stepSeconds: Double) throws {
        book = AuditBook()
        var plan = LoopbackPlan()
        plan.wrapDevice = book.wrap
        let socket = try UDPLink(bind: Self.here)
        let places = LinkDistributor(over: socket, hasControlPort: socket.localControlPort != socket.local.port, places: 3)
        let parties = places.links.enumerated().map { index, place in
            var configuration = CallConfiguration(codec: .opus, seed: UInt64(index))
            configuration.stream.takeAnyCodec()
            configuration.policy.waitsForCaller = true
            return CallParty(configuration: configuration, socket: socket, place: place)
        }
        let device = VirtualDevice(
            .room(plan.room), options: DeviceOptions(nearEnd: plan.talker(side: 0, sampleRate: 48_000)))
        let port = try CallSession(parties, unit: makeUnit(plan, device: device, rate: 48_000))
        try port.start()
        plan.voiceProcessing = false
        var clock = HostTime.monotonicNow()
        func step() {
            clock = clock.advanced(byMilliseconds: stepSeconds * 1000)
            clock.sleepUntil()
        }
        func call(_ codec: Codec, _ milliseconds: Int, seed: UInt64) throws -> CallSession {
            var configuration = CallConfiguration(codec: codec, seed: seed)
            configuration.encoder.frameMilliseconds = milliseconds
            configuration.alsoReceives = Codec.allCases.filter { $0 != codec }.map { MediaFormat($0) }
            let session = try CallSession(
                CallParty(configuration: configuration, socket: UDPLink(bind: Self.here, remote: socket.local)),
                unit: makeUnit(plan, device: VirtualDevice(.null), rate: 48_000))
            try session.start()
            return session
        }
        let first = try call(.opus, 20, seed: 11)
        let second = try call(.pcmu, 10, seed: 12)
        let third = try call(.g722, 40, seed: 13)
        step()
        second.channel.send(.hangUp(.localHangup))
        _ = second.finish()
        step()
        let again = try call(.pcma, 10, seed: 14)
        first.channel.send(.send(SendingFormat(MediaFormat(.pcmu))))
        step()
        step()
        for session in [first, third, again] {
            session.channel.send(.hangUp(.localHangup))
            _ = session.finish()
        }
        followed = Set(
            port.channels.flatMap { $0.events.takeAll() }.compactMap { event in
                if case .call(.formatFollowed(let format)) = event { format.codec } else { nil }
            })
        // A place that waits for the next caller waits for ever.
        for channel in port.channels { channel.send(.hangUp(.localHangup)) }
        _ = port.finish()
        packetsReceived = [first, second, third, again].map { $0.channel.statistics.packetsReceived ?? 0 }
    }

    private static let here = IPAddress(v4: 0x7f00_0001)
}
