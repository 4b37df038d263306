import AudioFiles
import AudioUnits
import Glibc

/// Renders faster than it plays: a chord that circles the listener, to `example-bounce FILE.wav [SECONDS]`.
///
/// The graph is pulled by the program in place of hardware; with the same blocks it gives the same samples, bit for bit.
@main
struct Bounce {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print("usage: example-bounce FILE.wav [SECONDS]") }
        let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 10 : 10

        let output = GenericOutput()
        try output.setFormat(
            StreamFormat(sampleRate: 48_000, channels: 2, interleaved: true), scope: .output, element: 0)
        let around = Mixer3D()
        let graph = AudioGraph(output: output)
        let chord = [220.0, 277.18, 329.63]
        for (input, hertz) in chord.enumerated() {
            try graph.connect(
                RenderCallback { slice in
                    for frame in 0..<slice.frames {
                        let time = Double(slice.time.sampleTime + Int64(frame)) / 48_000
                        slice.buffer[frame] = Float(0.2 * sin(2 * .pi * hertz * time))
                    }
                }, format: StreamFormat(sampleRate: 48_000), to: around, input: input)
        }
        try graph.connect(around, to: output)
        try graph.initialize()

        let file = try AudioFileWriter(path: arguments[1], sampleRate: 48_000, channels: 2)
        var block = [Float](repeating: 0, count: 2 * 480)
        for turn in 0..<Int(seconds * 100) {
            for input in chord.indices {
                let degrees = Double(turn) * 1.8 + Double(input) * 120
                let azimuth = (degrees + 180).truncatingRemainder(dividingBy: 360) - 180
                try around.setPosition(SpatialPosition(azimuth: azimuth, distance: 1.5), input: input)
            }
            try block.withUnsafeMutableBytes { try output.render(into: $0, frames: 480) }
            try file.write(block)
        }
        file.finish()
        graph.dispose()
        print("rendered \(file.framesWritten) frames to \(arguments[1])")
    }
}
