import AudioUnits
import Testing

@Suite("Health of echo control")
struct VoiceHealthTests {
    private let far = Signals.speechLike(rate: 16_000, seconds: 20, seed: 3)

    @Test("a headset is told: far-end speech and no echo of it")
    func noEchoPath() throws {
        let bench = try VoiceBench(rate: 16_000, far: far)
        bench.room = EchoRoom(rate: 16_000, rt60: 0.1, delaySeconds: 0, gain: 0, block: 160, seed: 1)
        bench.run(seconds: 3)
        #expect(!bench.unit.echoState.hasNoEchoPath)
        bench.run(seconds: 9, near: Signals.speechLike(rate: 16_000, seconds: 9, seed: 9))
        let state = bench.unit.echoState
        #expect(state.hasNoEchoPath)
        #expect(!state.echoIsAudible && state.delayMs == nil && state.driftPPM == nil)
    }

    @Test("echo that the other side hears is told, and no longer once it is gone")
    func audibleEcho() throws {
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.05, far: far) { $0.echoCancellation = false }
        bench.run(seconds: 8)
        #expect(bench.unit.echoState.echoIsAudible)
        bench.unit.echoCancellation = true
        bench.run(seconds: 8)
        #expect(!bench.unit.echoState.echoIsAudible)
    }

    @Test("a unit that is initialized anew tells nothing of its former session")
    func anew() throws {
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.05, far: far)
        bench.run(seconds: 6)
        let former = bench.unit.echoState
        #expect(former.converged && former.erleDB != nil)
        bench.unit.uninitialize()
        #expect(bench.unit.echoState == former, "it can still be asked how it went")
        try bench.unit.initialize()
        #expect(bench.unit.echoState == EchoState())
    }

    @Test("double talk is told while it lasts")
    func doubleTalk() throws {
        let bench = try VoiceBench(rate: 16_000, delaySeconds: 0.05, far: far)
        bench.run(seconds: 6)
        #expect(bench.unit.echoState.doubleTalk == false)
        var seen = 0
        let near = Signals.speechLike(rate: 16_000, seconds: 3, seed: 9)
        for turn in 0..<30 {
            bench.run(seconds: 0.1, near: Array(near[(turn * 1600)..<(turn * 1600 + 1600)]))
            if bench.unit.echoState.doubleTalk == true { seen += 1 }
        }
        #expect(seen > 15, "\(seen) of 30")
    }

    @Test("a microphone that is overdriven, or gives zeros, and a silent reference are told, and when they end")
    func signals() throws {
        let bench = try VoiceBench(rate: 16_000, far: [])
        for _ in 0..<150 { bench.device.capture([Float](repeating: 0, count: 160)) }
        #expect(bench.unit.echoState.microphoneIsSilent)
        #expect(!bench.unit.echoState.microphoneIsClipping)
        #expect(bench.unit.echoState.referenceIsSilent)
        let loud = Signals.sine(300, rate: 16_000, count: 160, amplitude: 3).map { max(-1, min(1, $0)) }
        for _ in 0..<20 { bench.device.capture(loud) }
        #expect(bench.unit.echoState.microphoneIsClipping)
        #expect(!bench.unit.echoState.microphoneIsSilent)
        bench.run(seconds: 5)
        #expect(!bench.unit.echoState.microphoneIsClipping)
        let playing = try VoiceBench(rate: 16_000, far: far)
        playing.run(seconds: 2)
        #expect(!playing.unit.echoState.referenceIsSilent)
    }

    @Test(
        "no number, infinities, full-scale square waves and digital silence come out finite",
        arguments: [8000.0, 16_000, 48_000])
    func nonsense(rate: Double) throws {
        let block = Int(rate / 100)
        let square = (0..<Int(rate) * 6).map { ($0 / 40) % 2 == 0 ? Float(1) : -1 }
        var far = square
        for index in stride(from: 5000, to: far.count, by: 9001) { far[index] = [.nan, .infinity, -1e30][index % 3] }
        let bench = try VoiceBench(rate: rate, far: far)
        for turn in 0..<600 {
            var mic = turn % 200 < 50 ? [Float](repeating: 0, count: block) : Array(square[turn * block..<(turn + 1) * block])
            if turn % 37 == 0 { mic[turn % block] = .nan }
            if turn % 53 == 0 { mic[turn % block] = .infinity }
            bench.device.capture(mic)
            _ = bench.device.play(block)
        }
        #expect(bench.collector.samples.allSatisfy { $0.isFinite && $0.magnitude <= 1.5 })
        let before = bench.collector.samples.count
        bench.run(seconds: 3, near: Signals.speechLike(rate: rate, seconds: 3, seed: 9))
        #expect(Signals.power(bench.collector.samples[before...]) > 1e-4, "it lives on")
    }
}
