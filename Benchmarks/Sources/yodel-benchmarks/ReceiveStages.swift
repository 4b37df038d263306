import Codecs
import JitterBuffer
import RTP
import Realtime

/// The way back: RTP, jitter buffer and decoder. The buffer pulls 5 ms at a time, as the media loop does.
enum ReceiveStages {
    static let all: [Stage] =
        [receiving] + Codec.allCases.map { decoding($0) } + Codec.allCases.map { buffering($0) }

    private static let receiving = Stage(name: "rtp_receiver", blockMilliseconds: 20) {
        var sender = RTPSender(ssrc: 1, payloadType: 111, clockRate: 48_000, sequence: 1, timestamp: 1)
        var receiver = RTPReceiver(payloadTypes: PayloadTypeTable(audio: 111), clockRate: 48_000)
        let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: 80, alignment: 8)
        let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_500, alignment: 8)
        var frames: UInt32 = 0
        return {
            let length = sender.packetize(
                UnsafeRawBufferPointer(payload), timestamp: frames &* 960, marker: false, into: packet)
            _ = receiver.receive(
                UnsafeRawBufferPointer(rebasing: packet[..<length]),
                arrival: HostTime(nanoseconds: Int64(frames) * 20_000_000))
            frames &+= 1
        }
    }

    private static func decoding(_ kind: Codec) -> Stage {
        Stage(name: "decode_\(kind.name)", blockMilliseconds: 20) {
            let decoder = try makeDecoder(kind)
            let stream = try EncodedNoise(kind)
            let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: decoder.maximumFrames)
            return { _ = try? decoder.decode(stream.next(), into: samples) }
        }
    }

    private static func buffering(_ kind: Codec) -> Stage {
        Stage(name: "jitter_buffer_decoder_\(kind.name)", blockMilliseconds: 20) {
            let decoder = try makeDecoder(kind)
            let buffer = JitterBuffer(decoder: decoder, clockRate: kind.rtpClockRate())
            let stream = try EncodedNoise(kind)
            let samples = UnsafeMutableBufferPointer(
                start: Noise.block(decoder.sampleRate / 200), count: decoder.sampleRate / 200)
            var count: Int64 = 0
            return {
                let arrival = HostTime(nanoseconds: count * 20_000_000)
                buffer.insert(
                    BufferedPacket(
                        extendedSequence: count, extendedTimestamp: count * Int64(kind.rtpClockRate() / 50),
                        marker: false, arrival: arrival, payload: stream.next()))
                for quarter in 0..<4 {
                    _ = buffer.pull(into: samples, now: arrival.advanced(byMilliseconds: Double(quarter) * 5))
                }
                count += 1
            }
        }
    }
}

/// A second of encoded noise, over and over.
private final class EncodedNoise {
    private var payloads: [[UInt8]] = []
    private var index = 0
    private let current = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_000, alignment: 8)

    init(_ kind: Codec) throws {
        let encoder = try makeEncoder(kind)
        for _ in 0..<50 {
            let frame = UnsafeBufferPointer(
                start: UnsafePointer(Noise.block(encoder.frameLength)), count: encoder.frameLength)
            var payload = [UInt8](repeating: 0, count: 4_000)
            let length = try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            payloads.append(Array(payload[..<length]))
        }
    }

    func next() -> UnsafeRawBufferPointer {
        let payload = payloads[index]
        index = (index + 1) % payloads.count
        current.copyBytes(from: payload)
        return UnsafeRawBufferPointer(rebasing: current[..<payload.count])
    }
}
