import AudioUnits
import Realtime

/// A voice-processing unit over a manual device in a room, stepped in 10 ms turns: capture, then play.
final class VoiceBench {
    let device: ManualDevice
    let unit: VoiceProcessingIO
    let collector = InputCollector()
    let room: EchoRoom
    private(set) var microphone: [Float] = []
    private let block: Int
    private var lastPlayed: [Float]

    /// `rate` is the device's, `callRate` the application's.
    init(
        rate: Double, callRate: Double? = nil, delaySeconds: Double = 0, far: [Float],
        configure: (VoiceProcessingIO) throws -> Void = { _ in }
    ) throws {
        let callRate = callRate ?? rate
        block = Int(rate / 100)
        device = ManualDevice(rate: rate)
        unit = VoiceProcessingIO(device: device)
        room = EchoRoom(rate: rate, rt60: 0.28, delaySeconds: delaySeconds, gain: 0.7, block: block, seed: 11)
        lastPlayed = [Float](repeating: 0, count: block)
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
            var mic = room.hear(lastPlayed)
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
