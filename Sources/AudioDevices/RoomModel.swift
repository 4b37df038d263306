public import AudioUnits
import DSP
import Glibc

/// A room between a loudspeaker and a microphone, sample by sample and without any input or output of its own.
///
/// ```
/// speaker -> clock drift -> delay -> impulse response -+-> microphone
///                          near-end speech, looped ----+
///                          white noise ----------------+
/// ```
/// The same parameters and seed give the same microphone signal, sample for sample.
public final class RoomModel {
    /// What a room is made of.
    public struct Parameters: Sendable {
        /// Rate of both sides, in Hz.
        public var sampleRate: Int
        /// Microphone frames of each `process` call.
        public var blockFrames: Int
        /// From loudspeaker to microphone.
        public var impulseResponse: [Float]
        /// Microphone clock against loudspeaker clock, in ppm, -1000...1000.
        public var driftPPM = 0.0
        /// Added to the impulse response's own delay, in milliseconds.
        public var delayMilliseconds = 0.0
        /// What somebody in the room says, at `sampleRate`, repeated for ever.
        public var nearEnd: [Float] = []
        /// RMS level of the noise at the microphone, in dBov; `nil` is none.
        public var noiseDecibels: Double?
        /// Seed of the noise.
        public var seed: UInt64 = 1

        public init(sampleRate: Int, blockFrames: Int, impulseResponse: [Float]) {
            self.sampleRate = sampleRate
            self.blockFrames = blockFrames
            self.impulseResponse = impulseResponse
        }
    }

    /// Microphone frames of each `process` call.
    public let blockFrames: Int

    private let speakerPerMicrophone: Double
    private var owed: Double
    private var drift: DriftResampler?
    private let convolver: Convolver
    private var echo: [Float]
    private var line: [Float]
    private var linePosition = 0
    /// Drifted speaker samples that the next block starts with.
    private var queue: [Float] = []
    private let nearEnd: [Float]
    private var nearPosition = 0
    private var noise: SeededNoise
    private let noiseGain: Float

    /// Builds the room; allocates all it needs.
    ///
    /// - Throws: `DeviceError.formatUnsupported` for a block below 16 frames or an empty impulse response.
    public init(_ parameters: Parameters) throws(DeviceError) {
        do {
            convolver = try Convolver(
                impulseResponse: parameters.impulseResponse, blockLength: parameters.blockFrames)
        } catch {
            throw .formatUnsupported(device: "room", reason: "\(error)")
        }
        blockFrames = parameters.blockFrames
        let ratio = 1 + max(-1000, min(1000, parameters.driftPPM)) * 1e-6
        speakerPerMicrophone = 1 / ratio
        owed = 0
        if parameters.driftPPM != 0 {
            var resampler = DriftResampler()
            resampler.ratio = ratio
            drift = resampler
            // the frames asked for may fall one short of a block that starts in mid-frame
            queue = [0, 0]
            queue.reserveCapacity(2 * parameters.blockFrames + 64)
        }
        echo = [Float](repeating: 0, count: parameters.blockFrames * 2 + 64)
        let delay = Int((parameters.delayMilliseconds * Double(parameters.sampleRate) / 1000).rounded())
        line = [Float](repeating: 0, count: max(delay, 0))
        nearEnd = parameters.nearEnd
        noise = SeededNoise(seed: parameters.seed)
        noiseGain = parameters.noiseDecibels.map { Float(pow(10, $0 / 20)) } ?? 0
    }

    /// Loudspeaker frames that belong to the next block: `blockFrames`, give or take one when the clocks differ.
    public func nextSpeakerFrames() -> Int {
        Int((Double(blockFrames) * speakerPerMicrophone + owed).rounded(.down))
    }

    /// What the microphone hears while the loudspeaker plays `speaker`.
    ///
    /// - Parameters:
    ///   - speaker: `nextSpeakerFrames()` samples.
    ///   - microphone: `blockFrames` samples to fill.
    public func process(speaker: UnsafePointer<Float>, into microphone: UnsafeMutablePointer<Float>) {
        let count = nextSpeakerFrames()
        owed += Double(blockFrames) * speakerPerMicrophone - Double(count)
        if drift == nil {
            for index in 0..<blockFrames { echo[index] = speaker[index] }
        } else {
            followClock(speaker, count)
        }
        delayEcho()
        echo.withUnsafeMutableBufferPointer { convolver.process($0.baseAddress!, into: microphone) }
        for index in 0..<blockFrames {
            var sample = microphone[index]
            if !nearEnd.isEmpty {
                sample += nearEnd[nearPosition]
                nearPosition += 1
                if nearPosition == nearEnd.count { nearPosition = 0 }
            }
            if noiseGain > 0 { sample += noiseGain * noise.next() }
            microphone[index] = sample
        }
    }

    /// Brings the loudspeaker's samples to the microphone's clock.
    private func followClock(_ speaker: UnsafePointer<Float>, _ count: Int) {
        var used = 0
        while used < count {
            let capacity = echo.count
            let step = echo.withUnsafeMutableBufferPointer {
                drift!.process(speaker + used, count: count - used, into: $0.baseAddress!, capacity: capacity)
            }
            queue.append(contentsOf: echo[0..<step.produced])
            used += step.consumed
            if step.consumed == 0 && step.produced == 0 { break }
        }
        let ready = min(queue.count, blockFrames)
        for index in 0..<ready { echo[index] = queue[index] }
        for index in ready..<blockFrames { echo[index] = 0 }
        queue.removeFirst(ready)
    }

    private func delayEcho() {
        guard !line.isEmpty else { return }
        for index in 0..<blockFrames {
            swap(&echo[index], &line[linePosition])
            linePosition += 1
            if linePosition == line.count { linePosition = 0 }
        }
    }
}
