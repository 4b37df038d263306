import COpus
import Codecs
import Testing

@Suite("Opus round trip") struct OpusRoundTripTests {
    /// Opus against the original, shifted by the look-ahead that the encoder states.
    private func heard(_ settings: EncoderSettings, _ speech: [Float]) throws -> (OpusEncoder, [Float], bytes: Int) {
        let encoder = try OpusEncoder(settings: settings)
        let decoder = try OpusDecoder()
        let packets = try encoder.packets(of: speech)
        let output = try packets.flatMap { try decoder.samples(of: $0) }
        return (encoder, output, packets.reduce(0) { $0 + $1.count })
    }

    @Test(
        "the decoded signal trails the original by exactly the stated look-ahead",
        arguments: [EncoderSettings.Application.voip, .lowDelay, .audio])
    func lookahead(application: EncoderSettings.Application) throws {
        let speech = speechLike(seconds: 2, sampleRate: 48_000)
        let (encoder, output, _) = try heard(EncoderSettings(bitrate: 64_000, application: application), speech)
        #expect(encoder.lookaheadSamples == (application == .lowDelay ? 120 : 312))
        let scores = (0...600).map { correlation(speech[9_600..<28_800], output[(9_600 + $0)...]) }
        let best = scores.indices.max { scores[$0] < scores[$1] }
        // The speech layer's filters bend the phase by a sample or two.
        #expect(abs((best ?? -1) - encoder.lookaheadSamples) <= 4, "best lag \(best ?? -1)")
    }

    @Test("speech is heard as it was said, at every packet length", arguments: [10, 20, 40, 60])
    func accuracy(milliseconds: Int) throws {
        let speech = speechLike(seconds: 3, sampleRate: 48_000)
        let (encoder, output, bytes) = try heard(EncoderSettings(frameMilliseconds: milliseconds), speech)
        #expect(encoder.frameLength == 48 * milliseconds)
        #expect(output.count == speech.count)
        let match = correlation(speech[9_600..<134_400], output[(9_600 + encoder.lookaheadSamples)...])
        #expect(match > 0.9, "correlation \(match)")
        let rate = Double(bytes) * 8 / 3
        #expect(rate > 18_000 && rate < 36_000, "\(rate) bit/s")
    }

    @Test("what was coded in a speech mode before loses less where it is coded as audio")
    func again() throws {
        let speech = speechLike(seconds: 3, sampleRate: 48_000)
        let (_, once, _) = try heard(EncoderSettings(), speech)
        // The frames of the second coding begin elsewhere.
        let second = Array(once[(312 + 137)...])
        let match = try [EncoderSettings.Application.voip, .audio].map { application in
            let (encoder, twice, _) = try heard(EncoderSettings(application: application), second)
            return correlation(speech[(9_600 + 137)..<120_137], twice[(9_600 + encoder.lookaheadSamples)...])
        }
        #expect(match[1] > match[0], "correlation \(match[0]) as voice, \(match[1]) as audio")
    }

    @Test("peaks are bent as libopus bends them, also where one ends in the next frame, and the rest is as it was")
    func peaks() throws {
        let speech = speechLike(seconds: 2, sampleRate: 48_000)
        let loud = speech.enumerated().map { max(-1, min(1, $1 * ($0 / 9600 % 2 == 0 ? 40 : 1))) }
        let packets = try OpusEncoder(settings: EncoderSettings(bitrate: 24_000)).packets(of: loud)
        let decoder = try OpusDecoder()
        let plain = try #require(opus_decoder_create(48_000, 1, nil))
        defer { opus_decoder_destroy(plain) }
        var (bent, memory) = (0, Float(0))
        for packet in packets {
            let samples = try decoder.samples(of: packet)
            var expected = [Float](repeating: 0, count: samples.count)
            _ = opus_decode_float(plain, packet, Int32(packet.count), &expected, Int32(expected.count), 0)
            if expected.contains(where: { abs($0) > 1 }) { bent += 1 }
            opus_pcm_soft_clip(&expected, Int32(expected.count), 1, &memory)
            #expect(samples == expected)
        }
        #expect(bent > 3 && bent < packets.count * 3 / 4, "\(bent) of \(packets.count)")
    }

    @Test("the bit rate can be changed during the stream and more bits are more exact")
    func bitrate() throws {
        let speech = speechLike(seconds: 2, sampleRate: 48_000)
        let encoder = try OpusEncoder(settings: EncoderSettings(bitrate: 16_000))
        let low = try encoder.packets(of: speech).reduce(0) { $0 + $1.count }
        encoder.setBitrate(96_000)
        let packets = try encoder.packets(of: speech)
        #expect(packets.reduce(0) { $0 + $1.count } > 3 * low)
        let decoder = try OpusDecoder()
        let output = try packets.flatMap { try decoder.samples(of: $0) }
        let (_, coarse, _) = try heard(EncoderSettings(bitrate: 16_000), speech)
        let ratio = signalToNoise(speech[9_600..<86_400], output[(9_600 + 312)...])
        let before = signalToNoise(speech[9_600..<86_400], coarse[(9_600 + 312)...])
        #expect(ratio > 11 && ratio > before + 3, "\(before) dB, then \(ratio) dB")
        encoder.setBitrate(.max)
        encoder.setBitrate(.min)
        encoder.setExpectedLoss(percent: .max)
        encoder.setExpectedLoss(percent: .min)
        #expect(try encoder.packets(of: speech).count == 100)
    }

    @Test(
        "digital silence that becomes the same packet for a second is not encoded again: what follows is as after that second")
    func resting() throws {
        let speech = speechLike(seconds: 1, sampleRate: 48_000)
        func spoken(after seconds: Int) throws -> (silent: [[UInt8]], after: [[UInt8]]) {
            let encoder = try OpusEncoder(settings: EncoderSettings())
            _ = try encoder.packets(of: speech)
            return (
                try encoder.packets(of: [Float](repeating: 0, count: 48_000 * seconds)), try encoder.packets(of: speech)
            )
        }
        let (short, long) = (try spoken(after: 3), try spoken(after: 40))
        #expect(short.silent.count == 150 && long.silent.count == 2000)
        #expect(long.silent[100...].allSatisfy { $0 == long.silent[100] })
        #expect(short.after == long.after)
    }

    @Test("speech is heard as it was said after long digital silence, which is silent")
    func afterResting() throws {
        let speech = speechLike(seconds: 3, sampleRate: 48_000)
        let (_, output, _) = try heard(EncoderSettings(), speech + [Float](repeating: 0, count: 480_000) + speech)
        let silence = output[154_000..<624_000].map(abs).max() ?? 1
        #expect(silence < 1e-4, "\(silence)")
        let match = correlation(speech[9_600..<134_400], output[(624_000 + 9_600 + 312)...])
        #expect(match > 0.9, "correlation \(match)")
    }

    @Test("silence without DTX is still sent in every packet, with DTX it is not")
    func discontinuousTransmission() throws {
        let silence = [Float](repeating: 0, count: 96_000)
        let steady = try OpusEncoder(settings: EncoderSettings()).packets(of: silence)
        let paused = try OpusEncoder(settings: EncoderSettings(dtx: true)).packets(of: silence)
        #expect(steady.allSatisfy { $0.count > 2 })
        #expect(paused.filter { $0.count <= 2 }.count > 50)
        // The first of them says that a pause begins, those after it need not be sent.
        #expect(paused.filter { !$0.isEmpty && $0.count <= 2 }.count < 10)
    }

    @Test("packets from a stereo sender decode to the mean of both sides")
    func stereo() throws {
        var status: Int32 = 0
        let sender = try #require(opus_encoder_create(48_000, 2, OPUS_APPLICATION_AUDIO, &status))
        defer { opus_encoder_destroy(sender) }
        _ = copus_encoder_set(sender, OPUS_SET_BITRATE_REQUEST, 96_000)
        let left = speechLike(seconds: 1, sampleRate: 48_000)
        let decoder = try OpusDecoder()
        var output = [Float]()
        for start in stride(from: 0, to: left.count, by: 960) {
            let frame = left[start..<start + 960].flatMap { [$0, 0.5 * $0] }
            var packet = [UInt8](repeating: 0, count: 1_500)
            let count = opus_encode_float(sender, frame, 960, &packet, 1_500)
            try #require(count > 0)
            output += try decoder.samples(of: Array(packet[..<Int(count)]))
        }
        let mixed = left.map { 0.75 * $0 }
        let ratio = signalToNoise(mixed[9_600..<38_400], output[(9_600 + 312)...])
        #expect(ratio > 12, "\(ratio) dB")
    }

    @Test("packets of several frames decode whole, up to 120 ms and no further", arguments: [2, 3, 6, 7])
    func severalFrames(count: Int) throws {
        let frames = try OpusEncoder(settings: EncoderSettings())
            .packets(of: speechLike(seconds: 0.2, sampleRate: 48_000)).prefix(count)
        let decoder = try OpusDecoder()
        // Code 3 framing, variable sizes (RFC 6716 section 3.2.5): the frames of equal configuration behind one header.
        var packet: [UInt8] = [frames[0][0] | 3, 0x80 | UInt8(count)]
        for frame in frames.dropLast() {
            let size = frame.count - 1
            packet += size < 252 ? [UInt8(size)] : [UInt8(252 + (size & 3)), UInt8((size - 252 - (size & 3)) / 4)]
        }
        for frame in frames { packet += frame.dropFirst() }
        #expect(Set(frames.map { $0[0] }).count == 1)
        if count <= 6 {
            #expect(decoder.duration(of: packet) == 960 * count)
            #expect(try decoder.samples(of: packet).count == 960 * count)
        } else {
            #expect(decoder.duration(of: packet) == nil)
            #expect(throws: CodecError.malformedPayload) { try decoder.samples(of: packet) }
        }
    }

    @Test("a decoder that was reset decodes like a new one")
    func reset() throws {
        let packets = try OpusEncoder(settings: EncoderSettings())
            .packets(of: speechLike(seconds: 1, sampleRate: 48_000))
        let used = try OpusDecoder()
        for packet in packets.reversed() { _ = try used.samples(of: packet) }
        used.reset()
        let fresh = try OpusDecoder()
        for packet in packets { #expect(try used.samples(of: packet) == fresh.samples(of: packet)) }
    }
}
