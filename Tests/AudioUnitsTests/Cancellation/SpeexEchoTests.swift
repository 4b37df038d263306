import Testing

import AudioUnits

@Suite("SpeexDSP's echo estimate")
struct SpeexEchoTests {
    @Test("It comes to be the echo that is in the microphone, near end or not", arguments: [8_000, 16_000])
    func estimates(rate: Int) throws {
        let block = rate / 100
        let seed: UInt64 = 12
        var speex = try SpeexEcho(block: block, tailFrames: rate / 5, rate: rate)
        let room = EchoRoom(
            rate: Double(rate), rt60: 0.1, delaySeconds: 0.004, gain: 0.5, block: block, seed: 7)
        var notch = DCNotch(rate: rate, isGentle: true)
        var noise = Noise(seed: seed)
        // As echo control has it: what lies under speech is gone before.
        var highPass = HighPass(rate: rate, cutoff: 60)
        var left: Float = 0
        var all: Float = 0
        for index in 0..<800 {
            var far = (0..<block).map { _ in noise.next() * 0.1 }
            highPass.process(far, count: block, into: &far)
            let plain = room.hear(far)
            var notched = plain
            notch.process(&notched, count: block)
            var echo = [Float](repeating: 0, count: block)
            speex.process(plain: plain, notched: notched, reference: far, into: &echo)
            guard index > 600 else { continue }
            left += Signals.power(zip(notched, echo).map { $0 - $1 }[...])
            all += Signals.power(notched[...])
        }
        // At 8 kHz little of the lowest echo is left for it to learn from.
        #expect(Signals.decibels(all / left) > (rate < 12_000 ? 10 : 20), "seed \(seed)")
    }
}
