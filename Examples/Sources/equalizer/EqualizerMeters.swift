import AudioDevices
import AudioUnits
import Glibc

/// Plays noise through one preset after the other and draws what each leaves: `example-equalizer [SECONDS] [DEVICE]`.
@main
struct EqualizerMeters {
    static func main() throws {
        let arguments = CommandLine.arguments
        let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 18 : 18
        let device = try DeviceSpecification(parsing: arguments.count > 2 ? arguments[2] : "default")

        let unit = RemoteIO(device: try makeDevice(device, device))
        let equalizer = Equalizer()
        let mixer = MultichannelMixer()
        mixer.isMetering = true
        let graph = AudioGraph(output: unit)
        // The callback says what it fills; the effect hands its input's format on.
        try graph.connect(
            RenderCallback { slice in
                for frame in 0..<slice.frames {
                    slice.buffer[frame] = Self.noise(slice.time.sampleTime + Int64(frame))
                }
            }, format: StreamFormat(sampleRate: 48_000), to: equalizer)
        try graph.connect(equalizer, to: mixer)
        try graph.connect(mixer, to: unit)
        try graph.initialize()
        try graph.start()
        for preset in EqualizerPreset.all {
            // While it plays, and without a click.
            equalizer.setPreset(preset)
            usleep(UInt32(seconds / Double(EqualizerPreset.all.count) * 1_000_000))
            let level = mixer.outputLevel()
            let bar = String(repeating: "█", count: max(0, Int((level.average + 60) / 2)))
            let bass = try equalizer.response(at: 60)
            print("\(preset.name): \(bar) \(Int(level.average)) dB, peak \(Int(level.peak)), \(Int(bass)) dB at 60 Hz")
        }
        graph.dispose()
    }

    /// White noise of frame `index` (SplitMix64), a tenth of full scale.
    static func noise(_ index: Int64) -> Float {
        var bits = UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Float(Int64(bitPattern: bits ^ (bits >> 31)) >> 40) / 8_388_608 * 0.1
    }
}
