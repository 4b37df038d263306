import Testing

import AudioUnits

@Suite("Residual echo")
struct ResidualEchoTests {
    private let bands = 21

    /// Runs with echo of power 1 a bin, of which `left` is left, and near end of power `near`; gives the power estimated
    /// last and the mean leak.
    private func run(
        left: Float, near: Float = 0, presence: Float = 0, blocks: Int, gains: Float = 0, missed: Float = 0,
        noise: Float = 1e-6, pause: ClosedRange<Int>? = nil, before: (left: Float, blocks: Int) = (0, 0)
    ) -> (power: Float, leak: Float) {
        let bands = FrequencyBands(bins: 161, binHertz: 50)
        var residual = ResidualEcho(bins: 161, bandCount: bands.count)
        func plane(_ value: Float) -> [Float] { [Float](repeating: value, count: 161) }
        for block in 0..<before.blocks + blocks {
            let isFirst = block < before.blocks
            // The near end pauses in these of every so many blocks.
            let pauses = pause.map { block % $0.upperBound >= $0.lowerBound } ?? false
            let rest = plane(isFirst ? before.left : left + (pauses ? 0 : near))
            let (echo, reference) = (plane(1), plane(2))
            let (floor, gain, expected) = (plane(noise), plane(gains), plane(missed))
            echo.withUnsafeBufferPointer { echo in
                reference.withUnsafeBufferPointer { reference in
                    rest.withUnsafeBufferPointer { rest in
                        floor.withUnsafeBufferPointer { floor in
                            gain.withUnsafeBufferPointer { gain in
                                expected.withUnsafeBufferPointer { expected in
                                    residual.update(
                                        ResidualEcho.Observation(
                                            echo: echo.baseAddress!, reference: reference.baseAddress!,
                                            residual: rest.baseAddress!, noise: floor.baseAddress!,
                                            gains: gain.baseAddress!, missed: expected.baseAddress!,
                                            nearEndPresence: isFirst ? 0 : presence,
                                            isConfirmed: !isFirst),
                                        bands: bands)
                                }
                            }
                        }
                    }
                }
            }
        }
        return (sum(residual.power, count: 161) / 161, residual.meanLeakage)
    }

    @Test("At the start everything is held to be echo")
    func start() { #expect(run(left: 1, blocks: 1).power >= 1) }

    @Test("It falls to twice what is left, within a second")
    func follows() {
        let result = run(left: 0.01, blocks: 100)
        #expect(Signals.decibels(result.leak / 0.01) < 3 && Signals.decibels(result.leak / 0.01) > -1)
        #expect(Signals.decibels(result.power / 0.01) < 6)
    }

    @Test("Ten seconds of near-end speech 20 dB over the residual raise it by less than 6 dB: pauses bring it back")
    func doubleTalk() {
        let result = run(left: 0.01, near: 1, presence: 0.8, blocks: 1000, pause: 25...40, before: (0.01, 200))
        #expect(Signals.decibels(result.leak / 0.01) < 6, "\(result.leak)")
    }

    @Test("What the Kalman filter expects to miss, and the least by the path's gain, count too")
    func otherEstimates() {
        #expect(run(left: 1e-4, blocks: 300, missed: 8).power >= 0.9)
        #expect(run(left: 8, blocks: 1, gains: 4).power >= 8)
    }

    @Test("Under the noise nothing is learnt")
    func underNoise() { #expect(run(left: 0.01, blocks: 300, noise: 0.2).leak == 1) }
}
