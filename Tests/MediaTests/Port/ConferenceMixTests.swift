import Media
import Testing

@Suite("A mix that is made once") struct ConferenceMixTests {
    @Test("everybody hears all others and not himself", arguments: [2, 3, 50])
    func withoutOneself(parties: Int) {
        var mix = ConferenceMix(frameLength: 160)
        let voices: [[Float]] = (0..<parties).map { party in
            (0..<160).map { index in
                let step: Int = (party * 7 + index * 3) % 11
                return Float(step - 5) / 1000
            }
        }
        mix.begin()
        for voice in voices { voice.withUnsafeBufferPointer { mix.add($0) } }
        #expect(mix.voices == parties)
        for (party, own) in voices.enumerated() {
            own.withUnsafeBufferPointer { own in
                mix.without(own) { heard in
                    for index in heard.indices {
                        var others: Float = 0
                        for other in voices.indices where other != party { others += voices[other][index] }
                        #expect(abs(heard[index] - others) < 1e-5)
                    }
                }
            }
        }
    }

    @Test("who is alone hears silence")
    func alone() {
        var mix = ConferenceMix(frameLength: 4)
        let voice: [Float] = [0.1, -0.2, 0.3, 1]
        mix.begin()
        voice.withUnsafeBufferPointer { mix.add($0) }
        voice.withUnsafeBufferPointer { mix.without($0) { #expect(Array($0) == [0, 0, 0, 0]) } }
    }

    @Test("many loud voices stay inside full scale")
    func limited() {
        var mix = ConferenceMix(frameLength: 2)
        mix.begin()
        let loud: [Float] = [0.9, -0.9]
        for _ in 0..<20 { loud.withUnsafeBufferPointer { mix.add($0) } }
        loud.withUnsafeBufferPointer { mix.without($0) { #expect($0.allSatisfy { abs($0) <= 1 } && $0[0] > 0.7) } }
    }
}
