import PeerSignalling
import Realtime
import SDP
import SecureRTP
import Testing

/// Two dialogs in virtual time, and a wire between them that loses, doubles and reorders from a seed.
final class LossyWire {
    static let one = fingerprint(1)
    static let other = fingerprint(2)

    let seed: UInt64
    var loss: Double
    var duplication: Double
    private var random: SplitMix64
    private(set) var now = HostTime.zero
    var caller: PeerDialog
    var callee: PeerDialog
    private(set) var callerEvents: [PeerDialog.Event] = []
    private(set) var calleeEvents: [PeerDialog.Event] = []
    private var underWay: [(due: HostTime, toCallee: Bool, bytes: [UInt8])] = []
    private(set) var sent = 0

    init(
        seed: UInt64, loss: Double = 0, duplication: Double = 0, callerCodecs: [AudioCodec] = [.opus, .pcmu],
        calleeCodecs: [AudioCodec] = [.opus, .pcmu], calleeSees: DTLSFingerprint = LossyWire.one
    ) {
        (self.seed, self.loss, self.duplication) = (seed, loss, duplication)
        random = SplitMix64(seed: seed)
        caller = PeerDialog(
            .caller, capabilities: AudioCapabilities(codecs: callerCodecs), own: Self.one, peer: Self.other, sessionID: 11)
        callee = PeerDialog(
            .callee, capabilities: AudioCapabilities(codecs: calleeCodecs), own: Self.other, peer: calleeSees, sessionID: 22)
        callee.start(now: now)
        caller.start(now: now)
    }

    static func fingerprint(_ byte: UInt8) -> DTLSFingerprint {
        guard let made = DTLSFingerprint(.sha256, Array(repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
        return made
    }

    /// Lets time pass until `isDone`, or for so long; the callee answers at once.
    /// - Returns: whether it was done.
    @discardableResult
    func run(_ milliseconds: Double, answers: Bool = true, until isDone: () -> Bool = { false }) -> Bool {
        let end = now.advanced(byMilliseconds: milliseconds)
        while now < end {
            now = now.advanced(byMilliseconds: 5)
            for item in underWay where item.due <= now {
                if item.toCallee { callee.receive(item.bytes, now: now) } else { caller.receive(item.bytes, now: now) }
            }
            underWay.removeAll { $0.due <= now }
            caller.advance(to: now)
            callee.advance(to: now)
            while let event = caller.nextEvent() { callerEvents.append(event) }
            while let event = callee.nextEvent() {
                calleeEvents.append(event)
                if event == .incoming, answers { callee.answer(now: now) }
            }
            for bytes in caller.takeDatagrams() { post(bytes, toCallee: true) }
            for bytes in callee.takeDatagrams() { post(bytes, toCallee: false) }
            if isDone() { return true }
        }
        return isDone()
    }

    func post(_ bytes: [UInt8], toCallee: Bool) {
        sent += 1
        guard random.unit() >= loss else { return }
        for _ in 0..<(random.unit() < duplication ? 2 : 1) {
            underWay.append((now.advanced(byMilliseconds: 5 + random.unit() * 60), toCallee, bytes))
        }
    }

    var isAnswered: Bool { callerEvents.contains(.answered) && calleeEvents.contains(.answered) }

    /// The holds that were told, oldest first.
    static func holds(_ events: [PeerDialog.Event]) -> [String] {
        events.compactMap { if case .held(let us, let peer) = $0 { "\(us ? "us" : "")\(peer ? "peer" : "")" } else { nil } }
    }

    static func ending(_ events: [PeerDialog.Event]) -> PeerDialog.Ending? {
        if case .ended(let ending)? = events.last { ending } else { nil }
    }

    static func codecs(_ events: [PeerDialog.Event]) -> [String] {
        events.compactMap {
            if case .negotiated(let audio, _) = $0 { audio.sending.codec.format.encodingName.lowercased() } else { nil }
        }
    }
}

extension AudioCodec {
    static let opus = AudioCodec(
        format: AudioFormat(encodingName: "opus", clockRate: 48_000, channels: 2), payloadType: 111,
        parameters: "useinbandfec=1",
        packetTimes: [10, 20], bitRate: 28_000, lookahead: 6.5, redundancy: 0)
    static let pcmu = AudioCodec(
        format: AudioFormat(encodingName: "PCMU", clockRate: 8000, channels: 1), payloadType: nil, parameters: "",
        packetTimes: [10, 20], bitRate: 64_000, lookahead: 0, redundancy: 0)
}
