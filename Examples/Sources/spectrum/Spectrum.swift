import AudioDevices
import AudioUnits
import Glibc
import Realtime

/// Draws the spectrum of what a queue plays, by a tap: `example-spectrum [SECONDS] [DEVICE]`.
@main
struct Spectrum {
    static let bands = (0..<24).map { 60 * pow(2, Double($0) / 3) }

    /// The tap's end of a ring; the main thread has the other.
    final class Inlet: @unchecked Sendable {
        var ring: RingProducer<Float>
        init(_ ring: consuming RingProducer<Float>) { self.ring = ring }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 8 : 8
        let device = try DeviceSpecification(parsing: arguments.count > 2 ? arguments[2] : "default")

        let ends = try RingEnds<Float>(minimumCapacity: 48_000)
        let inlet = Inlet(ends.producer)
        var ring = ends.consumer
        let queue = AudioQueue(effect: .varispeed)
        // A siphon behind the effect is handed what is heard.
        try queue.installTap(
            ProcessingTap(.afterEffects, .siphon) { slice in
                _ = inlet.ring.write(slice.buffer, count: slice.producedFrames)
            })
        let sweep = (0..<Int(seconds * 96_000)).map { frame in
            let time = Double(frame) / 48_000
            return Float(0.3 * sin(2 * .pi * 80 * seconds / log(60.0) * (exp(time / seconds * log(60.0)) - 1)))
        }
        try queue.enqueue(AudioQueueBuffer(sweep))
        let unit = RemoteIO(device: try makeDevice(device, device))
        let graph = AudioGraph(output: unit)
        try graph.connect(queue, to: unit)
        try graph.initialize()
        try graph.start()
        var block = [Float](repeating: 0, count: 4800)
        for turn in 0..<Int(seconds * 10) {
            if turn == Int(seconds * 5) { try queue.setRate(0.5) }
            usleep(100_000)
            let count = ring.read(into: &block, count: block.count)
            print(bands.map { bar(level(of: $0, in: block[..<count])) }.joined())
        }
        graph.dispose()
    }

    /// Level of one frequency in dB, by a Goertzel filter with a Hann window.
    static func level(of hertz: Double, in samples: ArraySlice<Float>) -> Double {
        let turn = 2 * cos(2 * .pi * hertz / 48_000)
        var (before, last) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count))
            (before, last) = (last, Double(sample) * window + turn * last - before)
        }
        let power = last * last + before * before - turn * last * before
        return 10 * log10(max(power, 1e-12)) - 20 * log10(Double(max(samples.count, 1)) / 4)
    }

    static func bar(_ level: Double) -> String {
        let steps = Array(" ▁▂▃▄▅▆▇█")
        return String(steps[max(0, min(8, Int((level + 60) / 6)))])
    }
}
