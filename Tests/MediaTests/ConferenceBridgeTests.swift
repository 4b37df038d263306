import Media
import Testing

@Suite("A conference's bridge") struct ConferenceBridgeTests {
    /// 20 s of frames of 20 ms at 16 kHz for party 1, while party 0 is heard in bursts of so many blocks of 10 ms.
    ///
    /// The voice is a count, so that what is left out or repeated shows. Returns, from 2 s on, samples of silence and jumps.
    private func run(burst: Int) -> (silent: Int, jumps: Int) {
        var bridge = ConferenceBridge(frameLength: 320, block: 160)
        bridge.join()
        bridge.join()
        let microphone = [Float](repeating: 0, count: 320)
        var (spoken, silent, jumps) = (0, 0, 0)
        var last: Float = 0
        for tick in 1...2000 {
            if tick % burst == 0 {
                for _ in 0..<burst {
                    let block = (0..<160).map { Float(spoken + $0 + 1) / 16_777_216 }
                    spoken += 160
                    block.withUnsafeBufferPointer { bridge.add($0, of: 0) }
                }
            }
            guard tick % 2 == 0 else { continue }
            bridge.nextFrame()
            microphone.withUnsafeBufferPointer { microphone in
                bridge.mix(for: 1, microphone: microphone) { mixed in
                    for sample in mixed {
                        if tick > 200 {
                            if sample == 0 { silent += 1 }
                            if sample != 0, last != 0, (sample - last) * 16_777_216 != 1 { jumps += 1 }
                        }
                        last = sample
                    }
                }
            }
        }
        return (silent, jumps)
    }

    @Test("hands a voice on without a gap however large the bursts it is heard in", arguments: 1...8)
    func bursts(blocks: Int) {
        let (silent, jumps) = run(burst: blocks)
        #expect(silent == 0 && jumps == 0, "bursts of \(blocks): \(silent) samples of silence, \(jumps) jumps")
    }

    @Test("gives a party the microphone and the others, inside full scale, and never itself")
    func mix() {
        var bridge = ConferenceBridge(frameLength: 2, block: 2)
        for _ in 0..<3 { bridge.join() }
        for (party, level) in [Float(0.25), 0.125, 0.5].enumerated() {
            for _ in 0..<3 { [level, level].withUnsafeBufferPointer { bridge.add($0, of: party) } }
        }
        bridge.nextFrame()
        let expected: [Float] = [0.6875, 0.8125, 0.4375]
        for party in 0..<3 {
            [Float(0.0625), 0.0625].withUnsafeBufferPointer { microphone in
                bridge.mix(for: party, microphone: microphone) { mixed in
                    // Over 0.7 the limiter bends.
                    #expect(mixed[0] == expected[party] || (expected[party] > 0.7 && mixed[0] < expected[party]))
                }
            }
        }
    }
}
