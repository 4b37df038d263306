import AudioUnits
import Glibc
import Testing

@Suite("Equalizer")
struct EqualizerTests {
    /// A graph of a source, an equalizer and an output.
    private func rig(
        _ equalizer: Equalizer, rate: Double = 48_000, channels: Int = 1,
        _ function: @escaping @Sendable (Int, Int) -> Float
    ) throws -> GraphRig {
        let rig = try GraphRig(channels: channels, rate: rate)
        try rig.graph.connect(FunctionUnit(rate: rate, channels: channels, function), to: equalizer)
        try rig.graph.connect(equalizer, to: rig.output)
        try rig.graph.initialize()
        return rig
    }

    /// Level of the tone of `frequency` in `samples`, as amplitude (Goertzel; whole periods are not needed under Hann).
    private func amplitude(_ samples: ArraySlice<Float>, _ frequency: Double, rate: Double) -> Double {
        var (real, imaginary, weight) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count))
            let angle = 2 * .pi * frequency * Double(index) / rate
            real += window * Double(sample) * cos(angle)
            imaginary += window * Double(sample) * sin(angle)
            weight += window
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / weight
    }

    private func measured(_ equalizer: Equalizer, at frequency: Double, rate: Double) throws -> Double {
        let rig = try rig(equalizer, rate: rate) { frame, _ in
            Float(0.05 * sin(2 * .pi * frequency * Double(frame) / rate))
        }
        let sound = try rig.output.pull(Int(rate * 0.4))[0]
        rig.graph.dispose()
        return 20 * log10(amplitude(sound[Int(rate * 0.2)...], frequency, rate: rate) / 0.05)
    }

    @Test("every preset's response is the designed curve within 0.1 dB", arguments: [16_000.0, 48_000])
    func presetResponses(rate: Double) throws {
        for preset in EqualizerPreset.all {
            let equalizer = Equalizer()
            equalizer.setPreset(preset)
            for frequency in [40.0, 110, 500, 1_800, 5_000, 15_000] where frequency < rate * 0.48 {
                let level = try measured(equalizer, at: frequency, rate: rate)
                try equalizer.setFormat(StreamFormat(sampleRate: rate), scope: .input, element: 0)
                let designed = try equalizer.response(at: frequency)
                #expect(abs(level - designed) < 0.1, "\(preset.name) at \(frequency): \(level), designed \(designed)")
            }
        }
    }

    @Test("each kind of band does what it says, and its response is the designed one")
    func ownBands() throws {
        let expected: [(EqualizerBand, Double, Double)] = [
            (EqualizerBand(.peak, frequency: 1_000, gain: 9, quality: 2), 1_000, 9),
            (EqualizerBand(.lowShelf, frequency: 1_000, gain: -8), 60, -8),
            (EqualizerBand(.lowShelf, frequency: 1_000, gain: -8), 1_000, -4),
            (EqualizerBand(.highShelf, frequency: 1_000, gain: 8), 15_000, 8),
            (EqualizerBand(.lowPass, frequency: 1_000), 1_000, -3.01),
            (EqualizerBand(.highPass, frequency: 1_000), 1_000, -3.01),
            (EqualizerBand(.bandPass, frequency: 1_000, quality: 5), 1_000, 0),
            (EqualizerBand(.peak, frequency: 1_000, gain: 9, isEnabled: false), 1_000, 0),
        ]
        for (band, frequency, decibels) in expected {
            let equalizer = Equalizer()
            try equalizer.setBands([band])
            #expect(abs(try equalizer.response(at: frequency) - decibels) < 0.1, "\(band)")
            #expect(abs(try measured(equalizer, at: frequency, rate: 48_000) - decibels) < 0.1, "\(band)")
        }
        let notch = Equalizer()
        try notch.setBands([EqualizerBand(.notch, frequency: 1_000, quality: 5)])
        #expect(try measured(notch, at: 1_000, rate: 48_000) < -60)
    }

    @Test(
        "a preset changed in the middle of a sine leaves no step above -70 dB",
        arguments: [100.0, 1_000], [32, 480])
    func clickFree(frequency: Double, slice: Int) throws {
        let equalizer = Equalizer()
        let rig = try self.rig(equalizer) { frame, _ in Float(0.25 * sin(2 * .pi * frequency * Double(frame) / 48_000)) }
        var sound: [Float] = []
        for turn in 0..<(96_000 / slice) {
            if turn % (4_800 / slice) == 0 {
                try equalizer.setPreset(number: turn / (4_800 / slice) % EqualizerPreset.all.count)
            }
            sound += try rig.output.pull(slice, slices: [slice])[0]
        }
        // A step has energy at all frequencies; the sine and its ramps have none above 8 kHz.
        func residue(_ samples: [Float]) throws -> Float {
            let high = Equalizer()
            try high.setBands(Array(repeating: EqualizerBand(.highPass, frequency: 8_000), count: 4))
            let filter = try self.rig(high) { frame, _ in frame < samples.count ? samples[frame] : 0 }
            return try filter.output.pull(samples.count)[0][2_400...].map { abs($0) }.max() ?? 1
        }
        let step = Float(pow(10, -70.0 / 20))
        let seen = try residue((0..<9_600).map { $0 < 4_800 ? 0 : step })
        #expect(seen > step / 10, "the measure sees steps")
        let worst = try residue(sound)
        #expect(worst < seen, "\(20 * log10(Double(worst / seen)) - 70) dB")
    }

    @Test("presets are found by number and by name; wrong ones are refused with what there is")
    func presets() throws {
        let equalizer = Equalizer()
        #expect(equalizer.preset?.name == "Flat")
        try equalizer.setPreset(named: "bass BOOSTER")
        #expect(equalizer.preset?.number == 1 && equalizer.bands.count == 1 && equalizer.overallGain == -5)
        try equalizer.setPreset(number: 5)
        #expect(equalizer.preset?.name == "Spoken word")
        try equalizer.setBands([EqualizerBand(frequency: 100, gain: 3)])
        #expect(equalizer.preset == nil)
        for (index, preset) in EqualizerPreset.all.enumerated() { #expect(preset.number == index) }
        #expect(Set(EqualizerPreset.all.map(\.name)).count == EqualizerPreset.all.count)
        #expect(throws: AudioUnitError.outOfRange(setting: "preset", allowed: "0 to 17")) {
            try equalizer.setPreset(number: 18)
        }
        #expect(throws: AudioUnitError.self) { try equalizer.setPreset(named: "Polka") }
        #expect(throws: AudioUnitError.self) { try equalizer.setBands([EqualizerBand(frequency: .nan)]) }
        #expect(throws: AudioUnitError.self) { try equalizer.setBands([EqualizerBand(frequency: 100, gain: 25)]) }
        #expect(throws: AudioUnitError.self) { try equalizer.setBands([EqualizerBand(frequency: 100, quality: 0)]) }
        #expect(throws: AudioUnitError.outOfRange(setting: "bands", allowed: "0 to 16")) {
            try equalizer.setBands(Array(repeating: EqualizerBand(frequency: 100), count: 17))
        }
    }

    @Test("channels are equalized alike, and a NaN in the input is gone with the next slice")
    func channelsAndNaN() throws {
        let equalizer = Equalizer()
        try equalizer.setPreset(number: 1)
        let rig = try rig(equalizer, channels: 3) { frame, channel in
            frame == 100 ? .nan : Float(channel + 1) * 0.1 * Float(sin(Double(frame) / 10))
        }
        let sound = try rig.output.pull(24_000)
        #expect(sound[0][12_000...].contains { $0 != 0 })
        for index in 12_000..<24_000 {
            #expect(abs(sound[1][index] - 2 * sound[0][index]) < 1e-5)
            #expect(abs(sound[2][index] - 3 * sound[0][index]) < 1e-5)
        }
    }

    @Test("silence in, once the filters have rung, is silence out")
    func silence() throws {
        let equalizer = Equalizer()
        try equalizer.setPreset(number: 1)
        let rig = try rig(equalizer) { frame, _ in frame < 480 ? 0.5 : 0 }
        let sound = try rig.output.pull(96_000)[0]
        #expect(sound[500] != 0 && sound[95_000...].allSatisfy { abs($0) < 1e-6 })
    }
}
