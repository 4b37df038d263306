import AudioUnits

/// Units in a graph, pulled 10 ms at a time at 48 kHz, the graph's own cost included.
enum GraphStages {
    static let all: [Stage] =
        [2, 8, 64, 512].map(mixer) + [
            mixer3D(voices: 3),
            chain("equalizer_loudness_stereo", channels: 2) {
                let unit = Equalizer()
                try unit.setPreset(named: "Loudness")
                return unit
            },
            chain("equalizer_16_bands_stereo", channels: 2) {
                let unit = Equalizer()
                try unit.setBands((0..<16).map { EqualizerBand(frequency: 30 * Double(1 << ($0 / 2)), gain: 3, quality: 1) })
                return unit
            },
            chain("varispeed_1x25_stereo", channels: 2) {
                let unit = Varispeed()
                try unit.setRate(1.25)
                return unit
            },
            chain("time_pitch_1x25_stereo", channels: 2) {
                let unit = TimePitch()
                try unit.setRate(1.25)
                return unit
            },
            converter("converter_44k1_to_48k_q5", from: StreamFormat(sampleRate: 44_100), quality: 5),
            converter("converter_44k1_to_48k_q10", from: StreamFormat(sampleRate: 44_100), quality: 10),
            converter("converter_plain_copy", from: StreamFormat(sampleRate: 48_000), quality: 5),
            converter("converter_int16_to_float", from: StreamFormat(sampleRate: 48_000, sampleType: .int16), quality: 5),
        ]

    /// A source that costs as little as can be: a block of noise, again and again.
    private static func source(channels: Int) -> RenderCallback {
        RenderCallback(context: UnsafeMutableRawPointer(Noise.block(1024))) { context, slice in
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            for channel in 0..<slice.pointee.format.channels {
                UnsafeMutableRawPointer(slice.pointee.channel(channel))
                    .copyMemory(from: context, byteCount: slice.pointee.frames * 4)
            }
        }
    }

    private static func pulled(_ unit: ProcessingUnit, _ connect: (AudioGraph) throws -> Void) throws -> () -> Void {
        let output = GenericOutput()
        let graph = AudioGraph(output: output)
        try graph.connect(unit, to: output)
        try connect(graph)
        try output.setFormat(StreamFormat(sampleRate: 48_000, channels: 2), scope: .output, element: 0)
        try graph.initialize()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 480 * 2 * 4, alignment: 16)
        return {
            withExtendedLifetime(graph) { try? output.render(into: block, frames: 480) }
        }
    }

    /// Stereo inputs, all sounding and metered.
    private static func mixer(_ inputs: Int) -> Stage {
        Stage(name: "mixer_\(inputs)_stereo_metered", blockMilliseconds: 10) {
            let mixer = MultichannelMixer()
            try mixer.setInputElements(inputs)
            mixer.isMetering = true
            return try pulled(mixer) { graph in
                for input in 0..<inputs {
                    try graph.connect(
                        source(channels: 2), format: StreamFormat(sampleRate: 48_000, channels: 2), to: mixer, input: input)
                }
            }
        }
    }

    private static func mixer3D(voices: Int) -> Stage {
        Stage(name: "mixer_3d_\(voices)_voices", blockMilliseconds: 10) {
            let mixer = Mixer3D()
            try mixer.setInputElements(voices)
            return try pulled(mixer) { graph in
                for input in 0..<voices {
                    try mixer.setPosition(SpatialPosition(azimuth: Double(input * 40 - 40)), input: input)
                    try graph.connect(source(channels: 1), format: StreamFormat(sampleRate: 48_000), to: mixer, input: input)
                }
            }
        }
    }

    private static func chain(
        _ name: String, channels: Int, make: @escaping @Sendable () throws -> ProcessingUnit
    ) -> Stage {
        Stage(name: name, blockMilliseconds: 10) {
            let unit = try make()
            let format = StreamFormat(sampleRate: 48_000, channels: channels)
            try unit.setFormat(format, scope: .input, element: 0)
            return try pulled(unit) { try $0.connect(source(channels: channels), format: format, to: unit) }
        }
    }

    /// Buffers of the application's, mono, 10 ms.
    private static func converter(_ name: String, from format: StreamFormat, quality: Int) -> Stage {
        Stage(name: name, blockMilliseconds: 10) {
            let converter = try Converter(from: format, to: StreamFormat(sampleRate: 48_000), quality: quality)
            let frames = Int(format.sampleRate / 100)
            let input = UnsafeRawBufferPointer(start: Noise.block(frames), count: format.byteCount(frames: frames))
            let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 512 * 4, alignment: 16)
            return { _ = try? converter.convert(input, frames: frames, into: output) }
        }
    }
}
