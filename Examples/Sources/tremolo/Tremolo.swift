import AudioUnits
import Glibc
import Synchronization

/// An effect of one's own: makes louder and quieter, so many times a second.
final class Tremolo: ProcessingUnit, @unchecked Sendable {
    static let component = AudioComponentDescription(type: "aufx", subtype: "trem", manufacturer: "exmp")

    /// How many times a second; the render thread reads it without a lock.
    private let rate = Atomic<Int>(5)

    init() { super.init(shape: UnitShape(component: Self.component)) }

    func setRate(_ hertz: Int) { rate.store(hertz, ordering: .relaxed) }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        RenderKernel { [self] slice, inputs in
            // On the render thread: no lock, no allocation, no wait.
            _ = inputs.pull(
                0, into: slice.buffer, channelStride: slice.channelByteStride / MemoryLayout<Float>.stride,
                frames: slice.frames, time: slice.time)
            let radians = 2 * Float.pi * Float(rate.load(ordering: .relaxed)) / Float(layout.output.sampleRate)
            for frame in 0..<slice.frames {
                let gain = 0.5 - 0.5 * cos(radians * Float((Int(slice.time.sampleTime) + frame) % 48_000))
                for channel in 0..<slice.format.channels { slice.channel(channel)[frame] *= gain }
            }
        }
    }
}

/// Registers the effect, finds it like any other, and draws what it does to a steady sound: `example-tremolo [HERTZ]`.
@main
struct OwnUnit {
    static func main() throws {
        try AudioComponent.register(Tremolo.component, name: "Tremolo") { Tremolo() }
        let found = AudioComponent.matching(AudioComponentDescription(type: "aufx"))
        print("effects: \(found.map { "\($0.name) (\($0.description))" }.joined(separator: ", "))")
        guard let tremolo = try found.last?.instantiate() as? Tremolo else { return print("no tremolo") }
        if CommandLine.arguments.count > 1, let hertz = Int(CommandLine.arguments[1]) { tremolo.setRate(hertz) }

        let output = GenericOutput()
        let graph = AudioGraph(output: output)
        let steady = RenderCallback { slice in for frame in 0..<slice.frames { slice.buffer[frame] = 1 } }
        try graph.connect(steady, format: StreamFormat(sampleRate: 48_000), to: tremolo)
        try graph.connect(tremolo, to: output)
        try graph.initialize()
        for _ in 0..<40 {
            let level = try output.withRendered(frames: 960) { $0.bindMemory(to: Float.self)[480] }
            print(String(repeating: "▒", count: Int(level * 60)))
        }
        graph.dispose()
    }
}
