import COpus
import Codecs
import Glibc
import Testing

@Suite("Opus redundancy and concealment") struct OpusRedundancyTests {
    private static let speech = speechLike(seconds: 6, sampleRate: 48_000)

    private func packets(_ settings: EncoderSettings) throws -> [[UInt8]] {
        try OpusEncoder(settings: settings).packets(of: Self.speech)
    }

    @Test("the copy restores a lost packet far better than concealment does", arguments: [10, 20, 40, 60])
    func recovery(milliseconds: Int) throws {
        let packets = try packets(EncoderSettings(expectedLossPercent: 10, frameMilliseconds: milliseconds))
        let whole = try OpusDecoder()
        let truth = try packets.map { try whole.samples(of: $0) }
        let frames = 48 * milliseconds
        // At this rate longer packets hold frames of 20 ms, and the copy is of the last of them.
        let covered = min(frames, 960)
        let restoring = try OpusDecoder()
        let concealing = try OpusDecoder()
        var lost = [Float]()
        var restored = [Float]()
        var concealed = [Float]()
        var copies = 0
        for index in packets.indices {
            // A third of the packets is lost, never two in a row.
            if index % 3 == 1, index + 1 < packets.count {
                guard restoring.carriesFEC(packets[index + 1]) else {
                    #expect(restoring.concealed(frames: frames) != nil)
                    #expect(concealing.concealed(frames: frames) != nil)
                    continue
                }
                copies += 1
                lost += truth[index].suffix(covered)
                restored += try restoring.redundancy(of: packets[index + 1], frames: frames).suffix(covered)
                concealed += try #require(concealing.concealed(frames: frames)).suffix(covered)
            } else {
                _ = try restoring.samples(of: packets[index])
                _ = try concealing.samples(of: packets[index])
            }
        }
        #expect(copies * 3 > packets.count / 2, "\(copies) copies in \(packets.count) packets")
        #expect(restored.count == lost.count && concealed.count == lost.count)
        let withCopy = signalToNoise(lost[...], restored[...])
        let without = signalToNoise(lost[...], concealed[...])
        // Behind a stretch that had to be concealed the copy starts from a worse state.
        let least = milliseconds > 20 ? 2.0 : 5
        #expect(withCopy > least && withCopy > without + 2.5, "\(withCopy) dB, concealment \(without) dB")
    }

    @Test("no packet claims a copy while no loss is expected, without FEC, or in low delay")
    func absence() throws {
        let decoder = try OpusDecoder()
        for settings in [
            EncoderSettings(expectedLossPercent: 0), EncoderSettings(inbandFEC: false, expectedLossPercent: 20),
            EncoderSettings(expectedLossPercent: 20, application: .lowDelay),
        ] {
            let packets = try packets(settings)
            #expect(packets.allSatisfy { !decoder.carriesFEC($0) })
            #expect(throws: CodecError.malformedPayload) { try decoder.redundancy(of: packets[9], frames: 960) }
        }
    }

    @Test(
        "the expected loss can be raised and lowered during the call", arguments: [1, 3, 5, 10, 20],
        [EncoderSettings.Application.voip, .audio])
    func hint(percent: Int, application: EncoderSettings.Application) throws {
        let encoder = try OpusEncoder(settings: EncoderSettings(application: application))
        let decoder = try OpusDecoder()
        #expect(try encoder.packets(of: Self.speech).allSatisfy { !decoder.carriesFEC($0) })
        encoder.setExpectedLoss(percent: percent)
        let copies = try encoder.packets(of: Self.speech).filter { decoder.carriesFEC($0) }.count
        #expect(copies > 150, "\(copies) copies in 300 packets")
        encoder.setExpectedLoss(percent: 0)
        // The first packet still carries the copy of the frame before the change.
        #expect(try encoder.packets(of: Self.speech).dropFirst().allSatisfy { !decoder.carriesFEC($0) })
    }

    @Test("a stereo sender's copy is found too")
    func stereo() throws {
        var status: Int32 = 0
        let sender = try #require(opus_encoder_create(48_000, 2, OPUS_APPLICATION_VOIP, &status))
        defer { opus_encoder_destroy(sender) }
        for (request, value) in [
            (OPUS_SET_BITRATE_REQUEST, Int32(40_000)), (OPUS_SET_INBAND_FEC_REQUEST, 1),
            (OPUS_SET_PACKET_LOSS_PERC_REQUEST, 20), (OPUS_SET_FORCE_CHANNELS_REQUEST, 2),
        ] { #expect(copus_encoder_set(sender, request, value) == OPUS_OK) }
        let decoder = try OpusDecoder()
        var copies = 0
        for start in stride(from: 0, to: 96_000, by: 960) {
            let frame = Self.speech[start..<start + 960].flatMap { [$0, 0.3 * $0] }
            var packet = [UInt8](repeating: 0, count: 1_500)
            let count = opus_encode_float(sender, frame, 960, &packet, 1_500)
            try #require(count > 0)
            if decoder.carriesFEC(Array(packet[..<Int(count)])) { copies += 1 }
            #expect(packet[0] & 4 != 0)
        }
        #expect(copies > 50)
    }

    @Test("a stretch longer than the copy is filled, and the copy lies at its end")
    func longStretch() throws {
        let packets = try packets(EncoderSettings(expectedLossPercent: 20))
        let whole = try OpusDecoder()
        let truth = try packets.map { try whole.samples(of: $0) }
        var lost = [Float]()
        var restored = [Float]()
        var concealed = [Float]()
        for last in stride(from: 20, to: packets.count - 1, by: 7) where whole.carriesFEC(packets[last + 1]) {
            let decoder = try OpusDecoder()
            let other = try OpusDecoder()
            for packet in packets[..<(last - 1)] {
                _ = try decoder.samples(of: packet)
                _ = try other.samples(of: packet)
            }
            let output = try decoder.redundancy(of: packets[last + 1], frames: 1_920)
            #expect(output.count == 1_920)
            lost += truth[last]
            restored += output[960...]
            concealed += try #require(other.concealed(frames: 1_920))[960...]
        }
        let withCopy = correlation(lost[...], restored[...])
        let without = correlation(lost[...], concealed[...])
        #expect(withCopy > 0.5 && withCopy > without + 0.3, "correlation \(withCopy), concealment \(without)")
    }

    @Test("concealment fades into silence and refuses lengths that are no steps of 2.5 ms")
    func concealment() throws {
        let decoder = try OpusDecoder()
        for packet in try packets(EncoderSettings()).prefix(56) { _ = try decoder.samples(of: packet) }
        for frames in [-120, 0, 1, 119, 500, 5_880, Int.max] where frames < 10_000 {
            #expect(decoder.concealed(frames: frames) == nil, "\(frames)")
        }
        var levels = [Float]()
        for _ in 0..<50 {
            let output = try #require(decoder.concealed(frames: 960))
            levels.append(output.reduce(0) { max($0, abs($1)) })
        }
        #expect(levels[0] > 0.01)
        #expect(levels[49] < 0.3 * levels[0], "\(levels[0]) to \(levels[49])")
        for frames in [120, 480, 5_760] { #expect(decoder.concealed(frames: frames)?.count == frames) }
    }

    @Test("a length that is no step of 2.5 ms is refused with the step")
    func wrongLength() throws {
        let decoder = try OpusDecoder()
        let packet = try #require(packets(EncoderSettings(expectedLossPercent: 20)).first { decoder.carriesFEC($0) })
        #expect(throws: CodecError.wrongFrameLength(expected: 120)) { try decoder.redundancy(of: packet, frames: 500) }
    }
}
