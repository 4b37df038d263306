import AudioUnits
import DSP
import Realtime

/// A voice-processing unit over a manual device in a room, stepped in 10 ms turns: capture, then play.
///
/// With `driftPPM` the room hears `far` as a microphone whose clock runs that much faster takes it; the time stamps know
/// nothing of it.
final class VoiceBench {
    let device: ManualDevice
    let unit: VoiceProcessingIO
    let collector = InputCollector()
    var room: EchoRoom
    private(set) var microphone: [Float] = []
    private let block: Int
    private var lastPlayed: [Float]
    private var drifted: [Float]?
    private var turns = 0

    /// `rate` is the device's, `callRate` the application's.
    init(
        rate: Double, callRate: Double? = nil, delaySeconds: Double = 0, driftPPM: Double = 0, far: [Float],
        configure: (VoiceProcessingIO) throws -> Void = { _ in }
    ) throws {
        let callRate = callRate ?? rate
        block = Int(rate / 100)
        device = ManualDevice(rate: rate)
        unit = VoiceProcessingIO(device: device)
        room = EchoRoom(rate: rate, rt60: 0.28, delaySeconds: delaySeconds, gain: 0.7, block: block, seed: 11)
        lastPlayed = [Float](repeating: 0, count: block)
        if driftPPM != 0 {
            var resampler = DriftResampler()
            resampler.ratio = 1 + driftPPM * 1e-6
            var output = [Float](repeating: 0, count: far.count + far.count / 1000 + 16)
            let made = resampler.process(far, count: far.count, into: &output, capacity: output.count)
            // Without the resampler's own delay, so that drift 0 would be no change.
            drifted = [Float](repeating: 0, count: block) + Array(output[DriftResampler.latencySamples..<made.produced])
        }
        try unit.enable(input: true, output: true)
        try unit.setFormat(StreamFormat(sampleRate: callRate), scope: .output, element: Element.input)
        try unit.setFormat(StreamFormat(sampleRate: callRate), scope: .input, element: Element.output)
        try unit.setInputHandler(collector.handler)
        try unit.setRenderCallback(OutputFeeder(far).callback)
        try configure(unit)
        try unit.initialize()
        try unit.start()
    }

    deinit { unit.dispose() }

    /// Runs `seconds`; the microphone hears the room, a noise floor of -70 dBFS, and `near` from its start.
    func run(seconds: Double, near: [Float] = [], seed: UInt64 = 5) {
        var noise = Noise(seed: seed)
        for turn in 0..<Int((seconds * 100).rounded()) {
            var mic = room.hear(played(turns))
            turns += 1
            for index in 0..<block {
                mic[index] += noise.next() * 5.5e-4
                let position = turn * block + index
                if position < near.count { mic[index] += near[position] }
            }
            microphone += mic
            device.capture(mic)
            lastPlayed = device.play(block)
        }
    }

    private func played(_ turn: Int) -> [Float] {
        guard let drifted else { return lastPlayed }
        let first = turn * block
        return first + block <= drifted.count
            ? Array(drifted[first..<first + block]) : [Float](repeating: 0, count: block)
    }

    /// Microphone power over output power between two moments, in dB.
    func attenuation(from start: Double, to end: Double) -> Double {
        let micRate = Double(block * 100)
        let outRate = try! unit.format(scope: .output, element: Element.input).sampleRate
        let mic = Signals.power(microphone[Int(start * micRate)..<Int(end * micRate)])
        let last = min(collector.samples.count, Int(end * outRate))
        let out = Signals.power(collector.samples[Int(start * outRate)..<last])
        return Signals.decibels(mic / max(out, 1e-12))
    }
}
