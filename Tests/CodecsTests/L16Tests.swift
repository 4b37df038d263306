import Codecs
import Testing

@Suite("L16") struct L16Tests {
    @Test("samples travel in network byte order")
    func byteOrder() throws {
        let encoder = try makeEncoder(.l16, settings: EncoderSettings(frameMilliseconds: 10))
        var frame = [Float](repeating: 0, count: 160)
        frame[0] = 258.0 / 32_768
        frame[1] = -1
        let packet = try encoder.packets(of: frame)[0]
        #expect(packet.count == 320)
        #expect(packet[..<4] == [0x01, 0x02, 0x80, 0x00])
    }

    @Test("every 16-bit value comes back exactly", arguments: [8_000, 16_000, 44_100, 48_000])
    func exactness(rate: Int) throws {
        let encoder = try makeEncoder(.l16, settings: EncoderSettings(), sampleRate: rate)
        let decoder = try makeDecoder(.l16, sampleRate: rate)
        #expect(encoder.frameLength == rate / 50)
        #expect(decoder.sampleRate == rate)
        let all = (-32_768...32_767).map { Float($0) / 32_768 }
        let heard = try encoder.packets(of: all).flatMap { try decoder.samples(of: $0) }
        #expect(heard == Array(all[..<heard.count]))
        #expect(heard.count > 64_000)
    }

    @Test("packets up to 200 ms decode; odd, empty and longer ones are malformed")
    func lengths() throws {
        let decoder = try makeDecoder(.l16)
        #expect(try decoder.samples(of: [UInt8](repeating: 1, count: 6_400)).count == 3_200)
        for count in [0, 1, 641, 6_402] {
            #expect(decoder.duration(of: [UInt8](repeating: 1, count: count)) == nil)
            #expect(throws: CodecError.malformedPayload) {
                try decoder.samples(of: [UInt8](repeating: 1, count: count))
            }
        }
    }

    @Test("L16 has no concealment and no redundancy of its own")
    func noConcealment() throws {
        let decoder = try makeDecoder(.l16)
        #expect(decoder.concealed(frames: 320) == nil)
        #expect(!decoder.carriesFEC([0, 1]))
        #expect(throws: CodecError.malformedPayload) { try decoder.redundancy(of: [0, 1], frames: 320) }
    }
}
