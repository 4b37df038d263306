import JitterBuffer
import Testing

@Suite struct StreamDecoderTests {
    private let codec = LevelDecoder()

    @Test("A packet that decodes to another length than it promised is none")
    func lengths() {
        let decoder = StreamDecoder(codec: codec, frame: 160)
        LevelPacket.payload().withUnsafeBytes { payload in
            let whole = decoder.decode(payload, duration: 160)
            let last = decoder.decoded.base[159]
            let short = decoder.decode(payload, duration: 80)
            #expect(whole == 160 && last == 0.25 && short == nil)
        }
        let refused = LevelPacket.payload(level: 255).withUnsafeBytes { decoder.decode($0, duration: 160) }
        #expect(refused == nil)
    }

    @Test("A late packet is decoded into the kept state, with what is missing before it concealed")
    func skip() {
        let decoder = StreamDecoder(codec: codec, frame: 160)
        codec.concealsItself = true
        LevelPacket.payload().withUnsafeBytes { decoder.skip($0, missing: 200, inGap: true) }
        #expect(codec.log == ["exchange", "conceal 160", "conceal 40", "decode", "exchange"])
        decoder.skip(nil, missing: 0, inGap: false)
        #expect(codec.log.count == 5)
    }

    @Test("Catching up conceals 100 ms at most, unless a sweep says otherwise")
    func catchUp() throws {
        codec.concealsItself = true
        StreamDecoder(codec: codec, frame: 160).restoreState(missing: .max)
        #expect(codec.log == ["exchange"] + [String](repeating: "conceal 160", count: 5))
        var tuning = ConcealmentTuning()
        try tuning.set("longestCatchUp", to: 20)
        let other = LevelDecoder()
        other.concealsItself = true
        StreamDecoder(codec: other, frame: 160, tuning: tuning).restoreState(missing: .max)
        #expect(other.log == ["exchange", "conceal 160"])
    }
}
