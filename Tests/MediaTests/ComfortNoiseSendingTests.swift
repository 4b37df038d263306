import Codecs
import Media
import Realtime
import Testing

@Suite("Comfort noise that a call sends") struct ComfortNoiseSendingTests {
    private struct Packet {
        let payloadType: UInt8
        let marker: Bool
        let sequence: UInt16
        let timestamp: UInt32
        let payload: [UInt8]

        init(_ bytes: [UInt8]) {
            payloadType = bytes[1] & 0x7f
            marker = bytes[1] & 0x80 != 0
            sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
            timestamp = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
            payload = Array(bytes[12...])
        }
    }

    /// A tone of one second, two of quiet noise, another tone.
    private func packets(_ codec: Codec, dtx: Bool) throws -> [Packet] {
        let rate = codec.sampleRate
        var state: UInt32 = 1
        let tone = sine(440, amplitude: 0.3, rate: rate)
        let sender = try Endpoint(
            codec, seeds: [5],
            microphone: { index in
                state = state &* 1_664_525 &+ 1_013_904_223
                return index >= rate && index < 3 * rate ? Float(Int32(bitPattern: state)) / 2_147_483_648 * 0.003 : tone(index)
            }, adjust: { $0.encoder.dtx = dtx })
        var sent: [Packet] = []
        everyTenMilliseconds(to: 4) { now in
            sender.step(now: now)
            sent += sender.links[0].rtp.map { Packet($0) }
            sender.links[0].carryControl(to: nil, now: now)
        }
        return sent
    }

    @Test(
        "goes out in its payload type with the clock of the audio, without a marker; the voice after it bears one",
        arguments: [(Codec.pcmu, UInt8(13)), (.pcma, 13), (.g722, 13), (.l16, 105)])
    func sent(codec: Codec, payloadType: UInt8) throws {
        let packets = try packets(codec, dtx: true)
        let first = try #require(packets.first)
        #expect(first.marker && first.payloadType == codec.defaultPayloadType)
        let units = UInt32(codec.rtpClockRate() / 50)
        for (a, b) in zip(packets, packets.dropFirst()) {
            #expect(b.sequence == a.sequence &+ 1)
            #expect(b.timestamp &- a.timestamp > 0 && (b.timestamp &- a.timestamp) % units == 0)
            let isNoise = b.payloadType == payloadType
            #expect(isNoise || b.payloadType == codec.defaultPayloadType)
            #expect(b.marker == (!isNoise && a.payloadType == payloadType))
            #expect(!isNoise || b.payload.count == 11)
        }
        let noise = packets.filter { $0.payloadType == payloadType }
        #expect((5...12).contains(noise.count), "\(noise.count) descriptions in two seconds")
        // White noise of 0.003 as a peak: -55 dBov.
        #expect(noise.allSatisfy { (53...57).contains($0.payload[0]) }, "\(noise.map { $0.payload[0] })")
        #expect(packets.filter(\.marker).count == 2)
        #expect((100...125).contains(packets.count - noise.count))
    }

    @Test("is not sent unless it is asked for, nor by a codec that falls silent by itself")
    func notSent() throws {
        for (codec, dtx) in [(Codec.pcmu, false), (.opus, true)] {
            let packets = try packets(codec, dtx: dtx)
            #expect(packets.allSatisfy { $0.payloadType == codec.defaultPayloadType })
            #expect(packets.count > (dtx ? 100 : 197))
        }
    }
}
