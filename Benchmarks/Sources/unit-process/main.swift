import AudioUnits
import Glibc

/// Runs a unit over mono Float32 samples from standard input to standard output, for comparisons with other libraries.
let usage = """
    usage: unit-process time-pitch RATE_HZ SPEED [CENTS]
           unit-process varispeed RATE_HZ SPEED
           unit-process converter FROM_HZ TO_HZ QUALITY
    """

func fail(_ text: String) -> Never {
    let line = text + "\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
    exit(2)
}

/// All of standard input.
func readSamples() -> [Float] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(0, &block, block.count)
        if count <= 0 { break }
        bytes += block[..<count]
    }
    return bytes.withUnsafeBytes { raw in
        (0..<(raw.count / 4)).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
}

/// Plays samples once; then it is silent.
final class SamplePlayer: @unchecked Sendable {
    private let samples: [Float]
    private var position = 0

    init(_ samples: [Float]) { self.samples = samples }

    var callback: RenderCallback {
        RenderCallback { [self] slice in
            let count = min(slice.frames, samples.count - position)
            for index in 0..<count { slice.buffer[index] = samples[position + index] }
            position += count
            if count == 0 { slice.outputIsSilence = true } else { slice.producedFrames = count }
        }
    }
}

func render(_ unit: ProcessingUnit, _ samples: [Float], from rate: Double, to outputRate: Double, frames: Int) throws {
    let output = GenericOutput()
    let graph = AudioGraph(output: output)
    try graph.connect(SamplePlayer(samples).callback, format: StreamFormat(sampleRate: rate), to: unit)
    try graph.connect(unit, to: output)
    try output.setFormat(StreamFormat(sampleRate: outputRate), scope: .output, element: 0)
    try graph.initialize()
    var block = [Float](repeating: 0, count: 480)
    var left = frames
    while left > 0 {
        let count = min(480, left)
        try block.withUnsafeMutableBytes { bytes in
            try output.render(into: bytes, frames: count)
            var written = 0
            while written < count * 4 {
                let step = write(1, bytes.baseAddress! + written, count * 4 - written)
                guard step > 0 else { fail("cannot write") }
                written += step
            }
        }
        left -= count
    }
    graph.dispose()
}

let words = CommandLine.arguments.dropFirst()
let numbers = words.dropFirst().compactMap { Double($0) }
guard let kind = words.first, numbers.count == words.count - 1, numbers.count >= 2 else { fail(usage) }
do {
    let samples = readSamples()
    switch kind {
    case "time-pitch":
        let unit = TimePitch()
        try unit.setFormat(StreamFormat(sampleRate: numbers[0]), scope: .input, element: 0)
        try unit.setRate(numbers[1])
        if numbers.count > 2 { try unit.setPitch(numbers[2]) }
        try render(unit, samples, from: numbers[0], to: numbers[0], frames: Int(Double(samples.count) / numbers[1]))
    case "varispeed":
        let unit = Varispeed()
        try unit.setFormat(StreamFormat(sampleRate: numbers[0]), scope: .input, element: 0)
        try unit.setRate(numbers[1])
        try render(unit, samples, from: numbers[0], to: numbers[0], frames: Int(Double(samples.count) / numbers[1]))
    case "converter":
        guard numbers.count == 3 else { fail(usage) }
        let unit = Converter()
        try unit.setFormat(StreamFormat(sampleRate: numbers[1]), scope: .output, element: 0)
        try unit.setQuality(Int(numbers[2]))
        let frames = Int(Double(samples.count) * numbers[1] / numbers[0])
        try render(unit, samples, from: numbers[0], to: numbers[1], frames: frames)
    default: fail(usage)
    }
} catch {
    fail("unit-process: \(error)")
}
