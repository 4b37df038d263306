import AudioUnits
import Testing

/// What a headset's microphone and a loudspeaker's make the delay finder believe before it has found a delay.
@Suite("Absence of echo")
struct EchoAbsenceTests {
    private static let rate = 16_000
    private static let block = 160

    /// Seconds after which `hasNoEcho` was true for the first time and for the last; nil where it never was. Stops at a lock.
    private func verdicts(far: [Float], microphone: [Float]) throws -> (first: Double, last: Double)? {
        var finder = try DelayFinder(rate: Self.rate)
        var found: (first: Double, last: Double)?
        for start in stride(from: 0, to: min(far.count, microphone.count) - Self.block + 1, by: Self.block) {
            let finding = far.withUnsafeBufferPointer { far in
                microphone.withUnsafeBufferPointer {
                    finder.process(
                        far: far.baseAddress! + start, microphone: $0.baseAddress! + start, count: Self.block, held: nil,
                        isCancelling: false)
                }
            }
            guard finding == .nothing else { break }
            let now = Double(start + Self.block) / Double(Self.rate)
            if finder.hasNoEcho { found = (found?.first ?? now, now) }
        }
        return found
    }

    private func speech(_ seconds: Double, seed: UInt64, shift: Double = 0) -> [Float] {
        let whole = Signals.speechLike(rate: Double(Self.rate), seconds: seconds + shift, seed: seed)
        return Array(whole.dropFirst(Int(shift * Double(Self.rate))))
    }

    private func noisy(_ samples: [Float], seed: UInt64) -> [Float] {
        var noise = Noise(seed: seed)
        return samples.map { $0 + noise.next() * 1e-3 }
    }

    @Test(
        "Somebody who speaks while the far end does, from the start, is told from an echo within 400 ms",
        arguments: [11 as UInt64, 21, 31, 41])
    func bothAtOnce(seed: UInt64) throws {
        let microphone = noisy(speech(2, seed: seed), seed: seed + 1)
        let verdict = try #require(try verdicts(far: speech(2, seed: seed + 2, shift: 0.2), microphone: microphone))
        #expect(verdict.first < 0.4, "seed \(seed)")
        #expect(verdict.last > 1.9, "seed \(seed)")
    }

    @Test("Somebody who begins when no echo has come in a second is heard after 60 ms")
    func nearLater() throws {
        let seed: UInt64 = 51
        let quiet = [Float](repeating: 0, count: Self.rate)
        let near = speech(1, seed: seed)
        let begins = 1 + Double(near.firstIndex { $0.magnitude > 0.03 } ?? 0) / Double(Self.rate)
        let microphone = noisy(quiet + near, seed: seed + 1)
        let verdict = try #require(try verdicts(far: speech(2, seed: seed + 2), microphone: microphone))
        #expect(verdict.first > begins - 0.05 && verdict.first < begins + 0.08, "seed \(seed): \(verdict), \(begins)")
    }

    @Test("An echo is not taken for somebody, however late and reverberant", arguments: [0.0, 0.1, 0.3, 0.5], [0.15, 0.4])
    func echo(delay: Double, rt60: Double) throws {
        let seed: UInt64 = 61
        let far = speech(3, seed: seed)
        let room = EchoRoom(
            rate: Double(Self.rate), rt60: rt60, delaySeconds: delay, gain: 0.5, block: Self.block, seed: seed + 1)
        var microphone: [Float] = []
        for start in stride(from: 0, to: far.count - Self.block + 1, by: Self.block) {
            microphone += room.hear(Array(far[start..<start + Self.block]))
        }
        #expect(try verdicts(far: far, microphone: noisy(microphone, seed: seed + 2)) == nil, "seed \(seed)")
    }

    @Test("What is no number, and silence, tell nothing")
    func nothing() throws {
        let count = 2 * Self.rate
        for microphone in [[Float](repeating: .nan, count: count), [Float](repeating: 0, count: count)] {
            #expect(try verdicts(far: speech(2, seed: 71), microphone: microphone) == nil)
            #expect(try verdicts(far: microphone, microphone: microphone) == nil)
        }
    }
}
