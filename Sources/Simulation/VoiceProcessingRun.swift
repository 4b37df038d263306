public import AudioUnits
import DSP
import Glibc
import LiveMedia
import Metrics
public import Reporting

/// The voice-processing unit of a call on two signals in memory, faster than real time (`yodel process`).
///
/// ```
/// far -> unit.output -> SteppedDevice        (played a period ahead, as hardware does)
/// out <- GenericOutput <- unit.input <- SteppedDevice <- mic
/// ```
/// Sample n of the output is sample n of the microphone, late by what the unit adds and nothing else.
public final class VoiceProcessingRun {
    /// The unit, to be switched before `run`.
    public let unit: VoiceProcessingIO
    /// Everything that came out, as many samples as the microphone had.
    public private(set) var output: [Float]

    private let sampleRate: Int
    private let block: Int
    private let microphone: [Float]
    private let puller = GenericOutput()
    private let dump: VoiceDump?

    /// How much is processed between two looks at the clock and the unit's state, in seconds.
    private static let stretchSeconds = 0.1

    /// Sets the unit up.
    ///
    /// - Parameters:
    ///   - far: what the loudspeaker plays; silence follows when it is shorter than `microphone`.
    ///   - sampleRate: of both, in Hz: one of those that the unit's canceller takes (`VoiceProcessingIO`).
    ///   - dumpFolder: takes every signal inside the unit.
    public init(
        far: [Float], microphone: [Float], sampleRate: Int, configuration: VoiceProcessingConfiguration,
        dumpFolder: String? = nil
    ) throws(CallError) {
        self.sampleRate = sampleRate
        self.microphone = microphone
        block = max(1, sampleRate / 100)
        output = [Float](repeating: 0, count: microphone.count)
        let device = SteppedDevice(microphone: microphone, sampleRate: sampleRate, periodFrames: block)
        unit = VoiceProcessingIO(device: device)
        dump =
            if let dumpFolder {
                try VoiceDump(
                    folder: dumpFolder, signals: VoiceSignal.allCases, sampleRate: sampleRate, unit: unit)
            } else { nil }
        do {
            let format = StreamFormat(sampleRate: Double(sampleRate))
            let loudspeaker = Loudspeaker(far)
            let captured = CapturedFrames(device)
            try unit.setConfiguration(configuration)
            try unit.enable(input: true, output: true)
            try unit.setFormat(format, scope: .output, element: Element.input)
            try unit.setFormat(format, scope: .input, element: Element.output)
            try unit.setRenderCallback(RenderCallback { loudspeaker.fill(&$0) })
            try unit.setInputHandler(InputHandler { captured.take($0) })
            try puller.setFormat(format, scope: .input, element: Element.output)
            try puller.setFormat(format, scope: .output, element: Element.output)
            try puller.setMaximumFramesPerSlice(block)
            try puller.setRenderCallback(RenderCallback { captured.fill(&$0) })
            try unit.initialize()
            try puller.initialize()
        } catch {
            throw .audioUnit(error)
        }
    }

    deinit {
        puller.dispose()
        unit.dispose()
    }

    /// Processes everything and says what it cost and found.
    public func run() throws(CallError) -> ProcessReport {
        var report = ProcessReport()
        var nanoseconds: Int64 = 0
        var done = 0
        do {
            try unit.start()
            while done < output.count {
                let end = min(output.count, done + max(block, Int(Self.stretchSeconds * Double(sampleRate))))
                let start = threadNanoseconds()
                while done < end { done += try pull(from: done) }
                nanoseconds += threadNanoseconds() - start
                dump?.drain()
                if report.convergenceSeconds == nil, unit.echoState.converged {
                    report.convergenceSeconds = Double(done) / Double(sampleRate)
                }
            }
        } catch {
            throw .audioUnit(error)
        }
        let seconds = Double(max(done, 1)) / Double(sampleRate)
        report.durationSeconds = seconds
        report.cpuMicroseconds = Double(nanoseconds) / 1000 / (seconds * 50)
        report.latencyMilliseconds = unit.latency.processing
        report.levelInDBov = level(microphone)
        report.levelOutDBov = level(output)
        var figures = CallStatistics()
        figures.fill(from: unit)
        report.echo = figures.echo
        unit.stop()
        try dump?.finish()
        return report
    }

    /// One slice of at most a block.
    private func pull(from position: Int) throws(AudioUnitError) -> Int {
        let count = min(block, output.count - position)
        let result = output.withUnsafeMutableBytes { bytes -> Result<Void, AudioUnitError> in
            let slice = UnsafeMutableRawBufferPointer(rebasing: bytes[(4 * position)..<(4 * (position + count))])
            do throws(AudioUnitError) {
                return .success(try puller.render(into: slice, frames: count))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        return count
    }

    /// RMS level of a whole signal.
    private func level(_ samples: [Float]) -> Double {
        let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        return max(LevelMeter.floorDBov, 10 * log10(sum / Double(max(1, samples.count)) + 1e-20))
    }
}

/// CPU time of this thread.
private func threadNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Gives the far end's samples to the unit, then silence.
///
/// Sendable: the unit calls it on the thread of `run`, as the device moves only there.
private final class Loudspeaker: @unchecked Sendable {
    private let samples: [Float]
    private var position = 0

    init(_ samples: [Float]) { self.samples = samples }

    func fill(_ slice: inout RenderSlice) {
        let count = min(slice.frames, samples.count - position)
        for index in 0..<count { slice.buffer[index] = samples[position + index] }
        position += count
    }
}

/// What the unit captured and nobody has pulled yet; moves the device on when that is not enough.
///
/// Sendable: the unit calls it on the thread of `run`, as the device moves only there.
private final class CapturedFrames: @unchecked Sendable {
    private let device: SteppedDevice
    private var waiting: [Float] = []

    /// A unit that collects longer blocks than the device's still delivers within so many periods.
    private static let mostSteps = 10

    init(_ device: SteppedDevice) { self.device = device }

    func take(_ notice: InputNotice) {
        let first = waiting.count
        waiting.append(contentsOf: repeatElement(0, count: notice.frames))
        waiting.withUnsafeMutableBufferPointer {
            guard let base = $0.baseAddress else { return }
            _ = notice.render(into: base + first, frames: notice.frames)
        }
    }

    func fill(_ slice: inout RenderSlice) {
        var steps = 0
        while waiting.count < slice.frames, steps < Self.mostSteps {
            device.step()
            steps += 1
        }
        let count = min(slice.frames, waiting.count)
        for index in 0..<count { slice.buffer[index] = waiting[index] }
        waiting.removeFirst(count)
        slice.producedFrames = count
    }
}
