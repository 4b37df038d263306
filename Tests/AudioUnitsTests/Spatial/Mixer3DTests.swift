import AudioUnits
import CAudit
import Glibc
import Testing

@Suite("3D mixer")
struct Mixer3DTests {
    private func rig(
        _ sources: [FunctionUnit], rate: Double = 48_000, configure: (Mixer3D) throws -> Void = { _ in }
    ) throws -> (GraphRig, Mixer3D) {
        let rig = try GraphRig(channels: 2, rate: rate)
        let mixer = Mixer3D()
        try mixer.setInputElements(sources.count)
        try mixer.setFormat(StreamFormat(sampleRate: rate, channels: 2), scope: .output, element: 0)
        for (index, source) in sources.enumerated() { try rig.graph.connect(source, to: mixer, input: index) }
        try configure(mixer)
        try rig.graph.connect(mixer, to: rig.output)
        try rig.graph.initialize()
        return (rig, mixer)
    }

    private func noise(_ seed: UInt64) -> FunctionUnit {
        var generator = Noise(seed: seed)
        let samples = (0..<48_000).map { _ in generator.next() * 0.3 }
        return FunctionUnit { frame, _ in samples[frame % 48_000] }
    }

    /// Frames by which `b` is later than `a`, by the peak of their correlation and a parabola through it.
    private func lag(_ a: [Float], _ b: [Float]) -> Double {
        func product(_ lag: Int) -> Double {
            (200..<(a.count - 200)).reduce(0.0) { $0 + Double(a[$1]) * Double(b[$1 + lag]) }
        }
        let values = (-60...60).map(product)
        let best = values.indices.max { values[$0] < values[$1] }!
        guard best > 0, best < 120 else { return Double(best - 60) }
        let bend = values[best - 1] - 2 * values[best] + values[best + 1]
        return Double(best - 60) + 0.5 * (values[best - 1] - values[best + 1]) / bend
    }

    @Test(
        "the far ear hears later by Woodworth's law, from every azimuth and elevation",
        arguments: [-90.0, -45, -20, 0, 30, 60, 90, 135, 180], [0.0, 40])
    func timeDifference(azimuth: Double, elevation: Double) throws {
        let (rig, _) = try rig([noise(3)]) {
            try $0.setPosition(SpatialPosition(azimuth: azimuth, elevation: elevation), input: 0)
        }
        let sound = try rig.output.pull(9_600)
        let lateral = asin(cos(elevation * .pi / 180) * sin(azimuth * .pi / 180))
        // Near ear (a/c)(1 - sin), far ear (a/c)(1 + angle): their difference is (a/c)(angle + sin).
        let expected = 0.0875 / 343 * (lateral + sin(lateral)) * 48_000
        // The shadow filter turns phase by a frame or so at the sides.
        #expect(abs(lag(sound[1], sound[0]) - expected) < 2, "\(lag(sound[1], sound[0])) frames, \(expected) expected")
        if azimuth == 0 || azimuth == 180 { #expect(abs(lag(sound[1], sound[0])) < 0.05) }
    }

    @Test("the near ear is brighter and the far one darker, low tones are alike at both", arguments: [1.0, -1])
    func shadow(side: Double) throws {
        func levels(_ frequency: Double) throws -> (near: Double, far: Double) {
            let tone = FunctionUnit { frame, _ in Float(0.2 * sin(2 * .pi * frequency * Double(frame) / 48_000)) }
            let (rig, _) = try rig([tone]) { try $0.setPosition(SpatialPosition(azimuth: 90 * side), input: 0) }
            let sound = try rig.output.pull(48_000).map { Signals.decibels(Signals.power($0[4_800...]) / 0.02) }
            return side > 0 ? (sound[1], sound[0]) : (sound[0], sound[1])
        }
        let low = try levels(50)
        #expect(abs(low.near) < 0.3 && abs(low.far) < 0.3, "\(low)")
        let high = try levels(8_000)
        // α is 2 towards the source; away from it (180°) α = 1.05 + 0.95 cos(216°).
        #expect(abs(high.near - 6.02) < 0.5, "\(high)")
        #expect(abs(high.far - 20 * log10(1.05 + 0.95 * cos(216 * .pi / 180))) < 1.5, "\(high)")
    }

    @Test("panning keeps the power and moves nothing in time")
    func panning() throws {
        for azimuth in stride(from: -90.0, through: 90, by: 30) {
            let (rig, _) = try rig([noise(4)]) {
                $0.rendering = .panning
                try $0.setPosition(SpatialPosition(azimuth: azimuth), input: 0)
            }
            let sound = try rig.output.pull(4_800)
            let power = Signals.power(sound[0][...]) + Signals.power(sound[1][...])
            let (plain, _) = try self.rig([noise(4)]) {
                $0.rendering = .panning
                try $0.setPosition(SpatialPosition(azimuth: 90), input: 0)
            }
            let whole = try plain.output.pull(4_800)[1]
            #expect(abs(power / Signals.power(whole[...]) - 1) < 1e-4)
            let angle = (sin(azimuth * .pi / 180) + 1) * .pi / 4
            #expect(abs(Double(sound[1][4_000]) - Double(whole[4_000]) * sin(angle)) < 1e-5)
        }
    }

    @Test("distance makes quieter as each model says")
    func distances() throws {
        let inverse = DistanceAttenuation(.inverse, referenceDistance: 2, maximumDistance: 100, rolloff: 1)
        #expect(inverse.gain(at: 1) == 1 && inverse.gain(at: 4) == 0.5 && inverse.gain(at: 1_000) == 0.02)
        let linear = DistanceAttenuation(.linear, referenceDistance: 1, maximumDistance: 11)
        #expect(linear.gain(at: 6) == 0.5 && linear.gain(at: 20) == 0)
        #expect(abs(DistanceAttenuation(.exponential, rolloff: 2).gain(at: 10) - 0.01) < 1e-12)
        #expect(DistanceAttenuation(.none).gain(at: 1_000) == 1)
        let (rig, mixer) = try rig([noise(5)]) { try $0.setPosition(SpatialPosition(distance: 4), input: 0) }
        let far = Signals.power(try rig.output.pull(48_000)[0][...])
        try mixer.setPosition(SpatialPosition(distance: 1), input: 0)
        _ = try rig.output.pull(48_000)
        let near = Signals.power(try rig.output.pull(48_000)[0][...])
        #expect(abs(Signals.decibels(near / far) - 12.04) < 0.1)
    }

    @Test("positions, volume, enable and rendering change in mid-sine without a step")
    func noSteps() throws {
        let sine = FunctionUnit { frame, _ in Float(0.5 * sin(2 * .pi * 100 * Double(frame) / 48_000)) }
        let (rig, mixer) = try rig([sine])
        var sound: [Float] = []
        for turn in 0..<80 {
            try mixer.setPosition(
                SpatialPosition(
                    azimuth: Double(turn * 97 % 360) - 180, elevation: Double(turn * 31 % 180) - 90,
                    distance: Double(1 + turn % 5)), input: 0)
            if turn % 7 == 0 { mixer.rendering = turn % 2 == 0 ? .panning : .sphericalHead }
            if turn % 11 == 0 { try mixer.setEnabled(turn % 2 == 0, input: 0) }
            sound += try rig.output.pull(700, slices: [700])[1]
        }
        let steps = zip(sound.dropFirst(), sound).map { abs($0 - $1) }
        #expect(try #require(steps.max()) < 0.02)
    }

    @Test("three voices from three directions are told apart at the ears")
    func conference() throws {
        let tones = [300.0, 500, 700].map { frequency in
            FunctionUnit { frame, _ in Float(0.2 * sin(2 * .pi * frequency * Double(frame) / 48_000)) }
        }
        let (rig, _) = try rig(tones) {
            $0.rendering = .panning
            for (index, azimuth) in [-60.0, 0, 60].enumerated() {
                try $0.setPosition(SpatialPosition(azimuth: azimuth), input: index)
            }
        }
        let sound = try rig.output.pull(48_000)
        func level(_ samples: [Float], _ frequency: Double) -> Double {
            let (real, imaginary) = samples.enumerated().reduce((0.0, 0.0)) { sum, next in
                let angle = 2 * .pi * frequency * Double(next.offset) / 48_000
                return (sum.0 + Double(next.element) * cos(angle), sum.1 + Double(next.element) * sin(angle))
            }
            return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
        }
        #expect(level(sound[0], 300) > 4 * level(sound[1], 300))
        #expect(level(sound[1], 700) > 4 * level(sound[0], 700))
        #expect(abs(level(sound[0], 500) - level(sound[1], 500)) < 1e-4)
    }

    @Test("settings out of range are refused by name")
    func refused() throws {
        let mixer = Mixer3D()
        #expect(throws: AudioUnitError.outOfRange(setting: "azimuth", allowed: "-180 to 180 degrees")) {
            try mixer.setPosition(SpatialPosition(azimuth: 181), input: 0)
        }
        #expect(throws: AudioUnitError.self) { try mixer.setPosition(SpatialPosition(elevation: .nan), input: 0) }
        #expect(throws: AudioUnitError.self) { try mixer.setPosition(SpatialPosition(distance: -1), input: 0) }
        #expect(throws: AudioUnitError.noSuchElement(8)) { try mixer.setPosition(SpatialPosition(), input: 8) }
        #expect(throws: AudioUnitError.self) {
            try mixer.setAttenuation(DistanceAttenuation(referenceDistance: 5, maximumDistance: 4))
        }
        #expect(throws: AudioUnitError.self) { try mixer.setAttenuation(DistanceAttenuation(rolloff: -1)) }
        let mono = StreamFormat(sampleRate: 48_000)
        #expect(throws: AudioUnitError.self) { try mixer.setFormat(mono, scope: .output, element: 0) }
    }

    @Test(
        "no allocation, free or lock while sounds move",
        .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
    func audited() throws {
        let (rig, mixer) = try rig([noise(1), noise(2)])
        var block = [Float](repeating: 0, count: 960)
        var audit = AuditedRender()
        for turn in 0..<100 {
            try mixer.setPosition(SpatialPosition(azimuth: Double(turn), distance: Double(turn)), input: turn % 2)
            try audit.render(rig.output, into: &block)
        }
        #expect(audit.isClean, "\(audit.counts)")
    }
}
