import Testing

import AudioUnits

@Suite("SpeexDSP's echo estimate")
struct SpeexEchoTests {
    @Test("It comes to be the echo that is in the microphone, near end or not")
    func estimates() throws {
        let seed: UInt64 = 12
        let speex = try SpeexEcho(block: 160, tailFrames: 3200, rate: 16_000)
        let room = EchoRoom(rate: 16_000, rt60: 0.1, delaySeconds: 0.004, gain: 0.5, block: 160, seed: 7)
        var notch = DCNotch(rate: 16_000)
        var noise = Noise(seed: seed)
        var left: Float = 0
        var all: Float = 0
        for index in 0..<800 {
            let far = (0..<160).map { _ in noise.next() * 0.1 }
            let plain = room.hear(far)
            var notched = plain
            notch.process(&notched, count: 160)
            var echo = [Float](repeating: 0, count: 160)
            speex.process(plain: plain, notched: notched, reference: far, into: &echo)
            guard index > 600 else { continue }
            left += Signals.power(zip(notched, echo).map { $0 - $1 }[...])
            all += Signals.power(notched[...])
        }
        #expect(Signals.decibels(all / left) > 20, "seed \(seed)")
    }
}
