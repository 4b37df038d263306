import Glibc

import AudioUnits

/// An `EchoController` in a room, its reference aligned as it should be: 4 ms before the echo.
final class EchoScene {
    let rate: Int
    let block: Int
    private var controller: EchoController
    private var room: EchoRoom
    private var noise: Noise
    private var farBlocks = 0
    private(set) var microphone: [Float] = []
    private(set) var echo: [Float] = []
    private(set) var output: [Float] = []
    private(set) var readings: [EchoControlReadings] = []
    /// Mean power of the room's noise.
    let noisePower: Float

    init(
        rate: Int, effort: EchoControlEffort = .high, rt60: Double = 0.25, noiseLevel: Float = 1e-3, seed: UInt64 = 11
    ) throws {
        self.rate = rate
        block = rate / 100
        controller = try EchoController(rate: rate, effort: effort)
        room = Self.room(rate: rate, rt60: rt60, seed: seed)
        noise = Noise(seed: seed &+ 1)
        noisePower = noiseLevel * noiseLevel / 3
        self.noiseLevel = noiseLevel
    }

    private let noiseLevel: Float

    private static func room(rate: Int, rt60: Double, delaySeconds: Double = 0.004, seed: UInt64) -> EchoRoom {
        EchoRoom(rate: Double(rate), rt60: rt60, delaySeconds: delaySeconds, gain: 0.5, block: rate / 100, seed: seed)
    }

    /// From now on the reverberation is another, and with another delay the direct sound too.
    func changeRoom(seed: UInt64, delaySeconds: Double = 0.004) {
        room = Self.room(rate: rate, rt60: 0.25, delaySeconds: delaySeconds, seed: seed)
    }

    /// Plays `far` while `near` speaks; both are as long. `isLocked`: whether the delay is known after 200 ms of far end.
    func run(far: [Float], near: [Float]? = nil, isLocked: Bool = true) {
        for start in stride(from: 0, to: far.count - block + 1, by: block) {
            let played = Array(far[start..<start + block])
            let heard = room.hear(played)
            var mic = heard
            for index in 0..<block {
                mic[index] += noise.next() * noiseLevel
                if let near { mic[index] += near[start + index] }
            }
            echo += heard
            step(microphone: mic, reference: played, isLocked: isLocked)
        }
    }

    /// One block of any signals.
    func step(microphone mic: [Float], reference: [Float], isLocked: Bool = true) {
        var alignment = ReferenceAlignment()
        alignment.farIsActive = meanPower(reference, count: block) > 1e-5
        if alignment.farIsActive { farBlocks += 1 }
        alignment.isLocked = isLocked && farBlocks > 20
        var out = [Float](repeating: .nan, count: block)
        controller.process(microphone: mic, reference: reference, alignment: alignment, into: &out)
        microphone += mic
        output += out
        readings.append(controller.readings)
    }

    func slice(_ signal: [Float], _ start: Double, _ end: Double) -> ArraySlice<Float> {
        signal[Int(start * Double(rate))..<min(signal.count, Int(end * Double(rate)))]
    }

    /// Microphone over output between two moments, in dB.
    func attenuation(_ start: Double, _ end: Double) -> Double {
        Signals.decibels(
            Signals.power(slice(microphone, start, end)) / max(1e-12, Signals.power(slice(output, start, end))))
    }
}
