import AudioUnits
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import RTP
import Realtime

/// Keeps what a call sends until the test carries it on.
final class QueueLink: LinkEnd {
    private(set) var rtp: [[UInt8]] = []
    private(set) var rtcp: [[UInt8]] = []
    /// RTCP compounds sent since the start.
    private(set) var reports = 0

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        switch packet.flow {
        case .media: rtp.append(Array(packet.bytes))
        case .control:
            rtcp.append(Array(packet.bytes))
            reports += 1
        }
        return true
    }

    /// Hands RTCP to `call`; RTP is the test's.
    func carryControl(to call: Call?, now: HostTime) {
        rtp = []
        carry(to: call, now: now)
    }

    /// Hands everything to `call`, or to nobody.
    func carry(to call: Call?, now: HostTime) {
        for packet in rtp { packet.withUnsafeBytes { call?.receive(rtp: $0, arrival: now) } }
        for packet in rtcp { packet.withUnsafeBytes { call?.receive(rtcp: $0, arrival: now) } }
        rtp = []
        rtcp = []
    }
}

/// A sound card with one call or several, moved by hand.
final class Endpoint {
    let device: ScriptedDevice
    let loop: MediaLoop
    let endpoint: AudioEndpoint
    private(set) var links: [QueueLink]
    private(set) var events: [[CallEvent]]

    var calls: [Call] { loop.calls }
    var call: Call { calls[0] }

    /// A call for each of `seeds`; a conference of them joins their other sides, in two channels.
    convenience init(
        _ codec: Codec = .l16, seeds: [UInt64], isConference: Bool = false,
        microphone: @escaping (Int) -> Float = { _ in 0 },
        adjust: (inout CallConfiguration) -> Void = { _ in }
    ) throws {
        let configurations = seeds.map { seed in
            var configuration = CallConfiguration(codec: codec, seed: seed)
            adjust(&configuration)
            return configuration
        }
        try self.init(configurations, isConference: isConference, microphone: microphone)
    }

    /// - Parameters:
    ///   - isBridge: whether the calls have each other, and nobody is at the device.
    ///   - format: rate in Hz and frame length of the loop; nil: those of the first call.
    init(
        _ configurations: [CallConfiguration], isConference: Bool = false, isBridge: Bool = false,
        format: (rate: Int, frameLength: Int)? = nil, microphone: @escaping (Int) -> Float = { _ in 0 }
    ) throws {
        let links = configurations.map { _ in QueueLink() }
        let calls = try zip(configurations, links).map { try Call(configuration: $0, link: $1, now: .zero) }
        self.links = links
        events = calls.map { _ in [] }
        let channels = isConference ? 2 : 1
        let (rate, frameLength) = format ?? (calls[0].sampleRate, calls[0].frameLength)
        device = ScriptedDevice(sampleRate: rate, channels: channels, microphone: microphone)
        let unit = RemoteIO(device: device)
        let endpoint = try AudioEndpoint(
            unit: unit, sampleRate: rate, frameLength: frameLength, playoutChannels: channels, plays: !isBridge)
        self.endpoint = endpoint
        if isBridge {
            loop = MediaLoop(bridgeAt: endpoint.end, frameLength: frameLength)
        } else if isConference {
            let headset = try HeadsetMixer(
                sampleRate: endpoint.sampleRate, block: MediaLoop.block(of: endpoint.end))
            loop = MediaLoop(conferenceAt: endpoint.end, frameLength: frameLength, headset: headset)
        } else {
            loop = MediaLoop(device: endpoint.end, frameLength: frameLength)
        }
        for call in calls { try loop.add(call) }
        try unit.start()
    }

    /// Takes another call in, as the last.
    func join(_ configuration: CallConfiguration, now: HostTime) throws {
        let link = QueueLink()
        try loop.add(try Call(configuration: configuration, link: link, now: now))
        links.append(link)
        events.append([])
    }

    /// Lets a call go; those after it move down by one.
    func leave(_ index: Int) {
        loop.remove(calls[index])
        links.remove(at: index)
        events.remove(at: index)
    }

    func step(now: HostTime) {
        device.turn(now: now)
        loop.step(now: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds + 1_000_000_000))
        for index in calls.indices { events[index] += calls[index].takeEvents() }
    }

    func perform(_ command: CallCommand, now: HostTime) {
        for call in calls { call.perform(command, now: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds + 1_000_000_000)) }
    }
}

/// Runs `body` each 10 ms from after `from` up to `to` seconds.
func everyTenMilliseconds(from: Double = 0, to: Double, _ body: (HostTime) throws -> Void) rethrows {
    for tick in Int(from * 100) + 1...Int(to * 100) { try body(HostTime(milliseconds: Double(tick) * 10)) }
}

/// A sine of `frequency` Hz.
func sine(_ frequency: Double, amplitude: Double, rate: Int) -> (Int) -> Float {
    { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

/// Amplitude of the sine of `frequency` Hz in `signal`.
func amplitude(of frequency: Double, in signal: ArraySlice<Float>, rate: Int) -> Double {
    var real = 0.0
    var imaginary = 0.0
    for (index, sample) in signal.enumerated() {
        let angle = 2 * .pi * frequency * Double(index) / Double(rate)
        real += Double(sample) * cos(angle)
        imaginary += Double(sample) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(signal.count)
}
