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

    @Test("who says nothing hears the same as all others who say nothing", arguments: [1, 2, 5])
    func common(parties: Int) {
        var mix = ConferenceMix(frameLength: 160)
        mix.begin()
        let silence = [Float](repeating: 0, count: 160)
        for party in 0..<parties {
            let voice = (0..<160).map { Float(($0 * 5 + party) % 13 - 6) / 10 }
            voice.withUnsafeBufferPointer { mix.add($0) }
        }
        var heard: [[Float]] = []
        for _ in 0..<3 { mix.common { heard.append(Array($0)) } }
        #expect(heard[0] == heard[1] && heard[1] == heard[2])
        // As if his own silence had been taken out.
        mix.add(UnsafeBufferPointer(start: nil, count: 0))
        silence.withUnsafeBufferPointer { mix.without($0) { #expect(Array($0) == heard[0]) } }
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
