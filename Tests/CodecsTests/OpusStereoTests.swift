import COpus
import Codecs
import Realtime
import Testing

/// A sender in stereo, as browsers and music programs are.
private final class StereoSender {
    private let encoder: OpaquePointer

    init(application: Int32, bitrate: Int32, loss: Int32 = 0) throws {
        var status: Int32 = 0
        encoder = try #require(opus_encoder_create(48_000, 2, application, &status))
        _ = copus_encoder_set(encoder, OPUS_SET_BITRATE_REQUEST, bitrate)
        _ = copus_encoder_set(encoder, OPUS_SET_INBAND_FEC_REQUEST, loss > 0 ? 1 : 0)
        _ = copus_encoder_set(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, loss)
    }

    deinit { opus_encoder_destroy(encoder) }

    /// Packets with two channels inside, or one.
    func forceChannels(_ count: Int32) { _ = copus_encoder_set(encoder, OPUS_SET_FORCE_CHANNELS_REQUEST, count) }

    func packets(left: [Float], right: [Float], length: Int = 960) throws -> [[UInt8]] {
        try stride(from: 0, through: left.count - length, by: length).map { start in
            let frame = (start..<start + length).flatMap { [left[$0], right[$0]] }
            var packet = [UInt8](repeating: 0, count: 4_000)
            let count = opus_encode_float(encoder, frame, Int32(length), &packet, 4_000)
            try #require(count > 0)
            return Array(packet[..<Int(count)])
        }
    }
}

@Suite("Opus from a stereo sender") struct OpusStereoTests {
    /// Speech modes alone, both, and transform modes alone.
    private static let modes: [(application: Int32, bitrate: Int32)] = [
        (OPUS_APPLICATION_VOIP, 24_000), (OPUS_APPLICATION_VOIP, 64_000), (OPUS_APPLICATION_AUDIO, 96_000),
        (OPUS_APPLICATION_RESTRICTED_LOWDELAY, 96_000),
    ]

    private let left = speechLike(seconds: 2, sampleRate: 48_000)
    private let right = speechLike(seconds: 2, sampleRate: 48_000, seed: 9).map { 0.5 * $0 }
    private var mean: [Float] { zip(left, right).map { 0.5 * ($0 + $1) } }

    private func isStereo(_ packet: [UInt8]) -> Bool { packet[0] & 4 != 0 }

    @Test("a call hears the mean of both sides, in every coding mode", arguments: modes)
    func downmix(application: Int32, bitrate: Int32) throws {
        let packets = try StereoSender(application: application, bitrate: bitrate).packets(left: left, right: right)
        #expect(packets.contains(where: isStereo))
        let decoder = try makeDecoder(.opus)
        let output = try packets.flatMap { try decoder.samples(of: $0) }
        #expect(output.count == left.count)
        let scores = (0...400).map { correlation(mean[19_200..<76_800], output[(19_200 + $0)...]) }
        #expect((scores.max() ?? 0) > 0.85, "\(scores.max() ?? 0)")
    }

    @Test("one that changes between one and two channels is heard without a break")
    func changes() throws {
        let sender = try StereoSender(application: OPUS_APPLICATION_VOIP, bitrate: 64_000)
        let decoder = try makeDecoder(.opus)
        var output = [Float]()
        var flags = Set<Bool>()
        for part in 0..<4 {
            sender.forceChannels(part % 2 == 0 ? 2 : 1)
            let range = part * 24_000..<(part + 1) * 24_000
            let packets = try sender.packets(left: Array(left[range]), right: Array(right[range]))
            flags.formUnion(packets.map(isStereo))
            for packet in packets {
                #expect(decoder.duration(of: packet) == 960)
                output += try decoder.samples(of: packet)
            }
        }
        #expect(flags == [true, false])
        #expect(output.allSatisfy { abs($0) <= 1 })
        let scores = (0...400).map { correlation(mean[9_600..<86_400], output[(9_600 + $0)...]) }
        #expect((scores.max() ?? 0) > 0.85, "\(scores.max() ?? 0)")
    }

    @Test("the copy of a lost packet is found in a stereo packet too, and decodes to one channel")
    func redundancy() throws {
        let sender = try StereoSender(application: OPUS_APPLICATION_VOIP, bitrate: 48_000, loss: 20)
        let packets = try sender.packets(left: left, right: right)
        let decoder = try makeDecoder(.opus)
        var restored = 0
        for (before, packet) in zip(packets, packets.dropFirst()) {
            _ = try decoder.samples(of: before)
            guard isStereo(packet), decoder.carriesFEC(packet) else { continue }
            decoder.keepState()
            #expect(try decoder.redundancy(of: packet, frames: 960).count == 960)
            decoder.exchangeState()
            restored += 1
        }
        #expect(restored > 20)
    }

    @Test("whoever asks for two channels gets left and right, and both alike from a mono packet")
    func twoChannels() throws {
        let sender = try StereoSender(application: OPUS_APPLICATION_AUDIO, bitrate: 128_000)
        let decoder = try OpusDecoder(channels: 2)
        #expect(decoder.channels == 2)
        var interleaved = [Float](repeating: 0, count: 2 * decoder.maximumFrames)
        func decode(_ packets: [[UInt8]]) throws -> (left: [Float], right: [Float]) {
            var sides: ([Float], [Float]) = ([], [])
            for packet in packets {
                let count = try packet.withUnsafeBytes { bytes in
                    try interleaved.withUnsafeMutableBufferPointer { try decoder.decode(bytes, into: $0) }
                }
                for index in 0..<count {
                    sides.0.append(interleaved[2 * index])
                    sides.1.append(interleaved[2 * index + 1])
                }
            }
            return sides
        }
        let both = try decode(sender.packets(left: left, right: right))
        #expect(signalToNoise(left[19_200..<76_800], both.left[(19_200 + 312)...]) > 6)
        #expect(signalToNoise(right[19_200..<76_800], both.right[(19_200 + 312)...]) > 6)
        decoder.reset()
        let mono = try decode(makeEncoder(.opus).packets(of: left))
        #expect(mono.left == mono.right)
        var small = [Float](repeating: 0, count: 1_919)
        #expect(throws: CodecError.outputTooSmall(needed: 1_920)) {
            let packet = try sender.packets(left: Array(left[..<960]), right: Array(right[..<960]))[0]
            _ = try packet.withUnsafeBytes { bytes in
                try small.withUnsafeMutableBufferPointer { try decoder.decode(bytes, into: $0) }
            }
        }
        #expect(throws: CodecError.self) { try OpusDecoder(channels: 3) }
    }

    @Test("100000 stereo packets of random bytes decode or are refused, on one channel and on two", arguments: [1, 2])
    func randomBytes(channels: Int) throws {
        let seed: UInt64 = 2716
        var random = SplitMix64(seed: seed)
        let decoder = try OpusDecoder(channels: channels)
        var output = [Float](repeating: 0, count: channels * decoder.maximumFrames)
        var decoded = 0
        for _ in 0..<100_000 {
            var packet = (0..<Int.random(in: 1...90, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            packet[0] |= 4
            let count = try? packet.withUnsafeBytes { bytes in
                try output.withUnsafeMutableBufferPointer { try decoder.decode(bytes, into: $0) }
            }
            guard let count else { continue }
            decoded += 1
            guard output[..<(channels * count)].allSatisfy({ abs($0) <= 1 }) else {
                Issue.record("output out of range, seed \(seed)")
                return
            }
        }
        #expect(decoded > 10_000)
    }
}
