import Calling
import JitterBuffer
import PacketCapture
import RTP
import Realtime

/// A captured call through the production receive path, in virtual time.
///
/// A capture of ours is followed in the order of its file, pulls and all: what is heard is what was heard, sample by sample.
/// In another one the player asks for 10 ms each 10 ms from the first packet's arrival on.
public final class CaptureReplay {
    private static let blockMilliseconds = 10.0
    /// The player goes on for so long after the last packet.
    private static let tailMilliseconds = 1000.0

    /// What was heard, at the codec's rate.
    public private(set) var heard: [Float] = []
    /// One row for each block that was pulled.
    public private(set) var rows: [ReplayRow] = []
    /// Samples a second of `heard`.
    public var sampleRate: Int { call.sampleRate }

    private let reader: CaptureReader
    private let ssrc: UInt32?
    private let call: Call
    private var block: [Float]
    private var firstArrival: HostTime?
    private var lastArrival = HostTime.zero
    private var nextPull = HostTime.zero
    private var octets = 0
    private var packets: CaptureArrivals
    /// Payload types of the sound: other packets' time stamps mean other things.
    private let payloadTypes: [UInt8]

    /// - Parameters:
    ///   - reader: at its beginning.
    ///   - ssrc: the source to play; `nil` plays what a receiver of all of it would hear.
    ///   - configuration: of the receiver.
    public init(_ reader: CaptureReader, ssrc: UInt32?, configuration: CallConfiguration) throws(CallError) {
        self.reader = reader
        self.ssrc = ssrc
        call = try Call(configuration: configuration, port: NoPort(), now: .zero)
        packets = CaptureArrivals(clockRate: configuration.codec.rtpClockRate())
        payloadTypes = [configuration.payloadType] + (configuration.redundancyPayloadType.map { [$0] } ?? [])
        block = [Float](repeating: 0, count: call.sampleRate * Int(Self.blockMilliseconds) / 1000)
    }

    /// Runs it all.
    ///
    /// - Throws: where the capture breaks off; what was heard until then stays.
    public func run() throws(CaptureError) {
        while let event = try reader.next() {
            switch event {
            case .pull(let time, let samples): pull(samples, now: time)
            case .datagram(let datagram): receive(datagram)
            }
        }
        guard !reader.isOurs, firstArrival != nil else { return }
        pullBlocks(until: lastArrival.advanced(byMilliseconds: Self.tailMilliseconds))
    }

    private func receive(_ datagram: CapturedDatagram) {
        guard datagram.direction != .sent, !datagram.isControl else { return }
        let isWanted = datagram.bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes) else { return false }
            return ssrc == nil || packet.header.ssrc == ssrc
        }
        // A capture of ours has whatever the receiver had to cope with.
        guard isWanted || reader.isOurs && ssrc == nil else { return }
        if !reader.isOurs {
            if firstArrival == nil { nextPull = datagram.time }
            pullBlocks(until: datagram.time)
        }
        if firstArrival == nil { firstArrival = datagram.time }
        lastArrival = max(lastArrival, datagram.time)
        octets += max(0, datagram.bytes.count - RTPHeader.fixedLength)
        note(datagram)
        datagram.bytes.withUnsafeBytes { call.receive(rtp: $0, arrival: datagram.time) }
        _ = call.takeEvents()
    }

    private func note(_ datagram: CapturedDatagram) {
        guard let firstArrival else { return }
        datagram.bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes), payloadTypes.contains(packet.header.payloadType)
            else { return }
            packets.add(packet.header, at: datagram.time.milliseconds(since: firstArrival))
        }
    }

    private func pullBlocks(until time: HostTime) {
        while nextPull < time {
            pull(block.count, now: nextPull)
            nextPull = nextPull.advanced(byMilliseconds: Self.blockMilliseconds)
        }
    }

    private func pull(_ samples: Int, now: HostTime) {
        // A file may claim anything; a pull is no longer than a ring.
        guard samples > 0, samples <= call.sampleRate else { return }
        if block.count != samples { block = [Float](repeating: 0, count: samples) }
        let outcome = block.withUnsafeMutableBufferPointer { call.pull(into: $0, now: now) }
        heard += block
        let time = firstArrival.map { now.milliseconds(since: $0) } ?? 0
        let length = 1000 * Double(samples) / Double(call.sampleRate)
        let position = outcome?.mediaMilliseconds
        rows.append(
            ReplayRow(
                milliseconds: time, reason: outcome?.reason ?? .waiting, targetMs: outcome?.targetMs ?? 0,
                levelMs: outcome?.levelMs ?? 0, delayMs: position.map { time + length - $0 }, mediaMilliseconds: position))
    }

    /// When each packet was sent and came, as far as their numbers tell.
    public var arrivals: [ReplayArrival] { packets.all }

    /// What the replay found; delays are beyond the first packet's travel, which a capture does not tell.
    public var figures: ReplayFigures {
        let statistics = call.statistics
        return ReplayFigures(
            rows: rows, spokenMilliseconds: firstArrival.map { lastArrival.milliseconds(since: $0) } ?? 0,
            sent: (statistics.packetsReceived ?? 0) + (statistics.packetsLost ?? 0), sentBytes: octets,
            lost: statistics.packetsLost ?? 0, buffer: call.jitterBufferStatistics)
    }
}

/// A replay answers nobody.
private final class NoPort: PacketPort {
    func send(rtp packet: UnsafeRawBufferPointer) {}
    func send(rtcp packet: UnsafeRawBufferPointer) {}
}
