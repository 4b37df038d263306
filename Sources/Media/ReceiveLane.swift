import Codecs
import DSP
import JitterBuffer
import Realtime

/// One codec of a receive path: its jitter buffer and decoder, and what converts to the stream's rate.
///
/// ```
/// packets of the format -> JitterBuffer <-> Decoder -> [FixedRatio] -> block at the stream's rate
/// ```
/// Where the codec has the stream's rate there is no converter, and a block passes as if the lane were not there.
final class ReceiveLane {
    let format: MediaFormat
    let buffer: JitterBuffer
    /// Sequence number of the lane's first packet; nil before one came.
    private(set) var firstSequence: Int64?
    /// When that packet came.
    private(set) var firstArrival = HostTime.zero
    /// Another source came after this one's: what belongs to the lane has come.
    var isClosed = false

    private let streamRate: Int
    private let isHeard: Bool
    /// Whether the decoder works; `nil`: always.
    private let decoding: DecodingSwitch?
    private let converter: FixedRatio?
    private var pulled: [Float] = []
    /// What was pulled and converted, and not yet asked for, at the stream's rate.
    private var converted: [Float] = []
    private var lastOutcome: PullOutcome?

    /// A stream's first lane.
    convenience init(
        _ format: MediaFormat, streamRate: Int, configuration: JitterBufferConfiguration, isHeard: Bool,
        decoding: DecodingSwitch?
    ) throws(CodecError) {
        let decoder = try Self.decoder(of: format, isHeard: isHeard, decoding)
        let buffer = JitterBuffer(decoder: decoder, clockRate: format.clockRate, configuration: configuration)
        try self.init(format, buffer, streamRate: streamRate, isHeard: isHeard, decoding: decoding)
    }

    private static func decoder(
        of format: MediaFormat, isHeard: Bool, _ decoding: DecodingSwitch?
    ) throws(CodecError) -> any AudioDecoder {
        let decoder = try makeDecoder(format.codec, sampleRate: format.sampleRate)
        guard isHeard else { return UnheardDecoder(of: decoder) }
        return decoding.map { RestingDecoder(decoder, $0) } ?? decoder
    }

    /// A lane for what the same sender goes on with: it begins with what was learnt of the network.
    convenience init(_ format: MediaFormat, after other: ReceiveLane) throws(CodecError) {
        let decoder = try Self.decoder(of: format, isHeard: other.isHeard, other.decoding)
        let buffer = JitterBuffer(continuing: other.buffer, decoder: decoder, clockRate: format.clockRate)
        try self.init(
            format, buffer, streamRate: other.streamRate, isHeard: other.isHeard, decoding: other.decoding)
    }

    private init(
        _ format: MediaFormat, _ buffer: JitterBuffer, streamRate: Int, isHeard: Bool, decoding: DecodingSwitch?
    ) throws(CodecError) {
        self.format = format
        self.buffer = buffer
        self.streamRate = streamRate
        self.isHeard = isHeard
        self.decoding = decoding
        do { converter = try FixedRatio(from: buffer.sampleRate, to: streamRate) } catch {
            throw .invalidSetting("\(format.codec.name) at \(buffer.sampleRate) Hz cannot be converted to \(streamRate) Hz")
        }
    }

    /// Takes a packet; the stream's order tells which lane a later one belongs to.
    func insert(_ packet: BufferedPacket) -> InsertOutcome {
        if firstSequence == nil { firstArrival = packet.arrival }
        firstSequence = min(firstSequence ?? packet.extendedSequence, packet.extendedSequence)
        return buffer.insert(packet)
    }

    /// What conversion adds, in milliseconds.
    var conversionMilliseconds: Double { converter?.delayMilliseconds ?? 0 }

    /// Samples at the stream's rate that are left once no packet waits; nil while one does.
    var samplesLeft: Int? { buffer.samplesLeft.map { $0 * streamRate / buffer.sampleRate + converted.count } }

    /// Fills `block` at the stream's rate.
    func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        guard let converter else { return buffer.pull(into: block, now: now) }
        while converted.count < block.count {
            let outcome = pullPart(of: block.count, now: now)
            lastOutcome = outcome
            pulled.withUnsafeBufferPointer { converter.process($0, into: &converted) }
        }
        return hand(out: block, now: now)
    }

    /// Fills `block` with the lane's beginning, if that is due: its first sample is the first of the sound.
    /// - Returns: nil when it is not due; the block's content means nothing then.
    func begin(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome? {
        guard let converter else {
            let outcome = buffer.pull(into: block, now: now)
            return buffer.isPlaying ? outcome : nil
        }
        lastOutcome = pullPart(of: block.count, now: now)
        guard buffer.isPlaying else { return nil }
        // The filter's delay would be a gap: it is pulled ahead.
        let needed = block.count + converter.delaySamples
        pulled.withUnsafeBufferPointer { converter.process($0, into: &converted) }
        while converted.count < needed {
            lastOutcome = pullPart(of: block.count, now: now)
            pulled.withUnsafeBufferPointer { converter.process($0, into: &converted) }
        }
        converted.removeFirst(converter.delaySamples)
        return hand(out: block, now: now)
    }

    /// Pulls as much as `count` samples of the stream's rate last.
    private func pullPart(of count: Int, now: HostTime) -> PullOutcome {
        let length = max(1, (count * buffer.sampleRate + streamRate - 1) / streamRate)
        if pulled.count != length { pulled = [Float](repeating: 0, count: length) }
        return pulled.withUnsafeMutableBufferPointer { buffer.pull(into: $0, now: now) }
    }

    private func hand(out block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        for index in block.indices { block[index] = converted[index] }
        converted.removeFirst(block.count)
        var outcome = lastOutcome ?? buffer.pull(into: UnsafeMutableBufferPointer(start: nil, count: 0), now: now)
        outcome.samples = block.count
        return outcome
    }
}
