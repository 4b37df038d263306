import AudioUnits
import CAudit
import Glibc
import Testing

/// A graph of a source, one time effect and an output, and what comes out of it.
private func play(
    _ unit: ProcessingUnit, rate: Double = 48_000, channels: Int = 1, frames: Int, slices: [Int] = [480],
    turn: ((Int) throws -> Void)? = nil, _ function: @escaping @Sendable (Int, Int) -> Float
) throws -> (sound: [[Float]], used: Int) {
    let rig = try GraphRig(channels: channels, rate: rate)
    let source = FunctionUnit(rate: rate, channels: channels, function)
    try rig.graph.connect(source, to: unit)
    try rig.graph.connect(unit, to: rig.output)
    try rig.graph.initialize()
    var sound = Array(repeating: [Float](), count: channels)
    var done = 0
    var index = 0
    while done < frames {
        try turn?(done)
        let count = min(slices[index % slices.count], frames - done)
        for (channel, part) in try rig.output.pull(count, slices: [count]).enumerated() { sound[channel] += part }
        done += count
        index += 1
    }
    return (sound, source.statistics.outputFrames)
}

/// Frame `frame` of a tone of amplitude 0.5.
private func sine(_ frequency: Double, _ frame: Int, rate: Double) -> Float {
    let angle: Double = 2 * .pi * frequency * Double(frame) / rate
    return Float(0.5 * sin(angle))
}

/// Frequency of a tone, from the phase of its windowed spectrum at two moments.
private func frequency(of samples: ArraySlice<Float>, near guess: Double, rate: Double) -> Double {
    func phase(_ part: ArraySlice<Float>, _ start: Int) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in part.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(part.count))
            let angle = 2 * .pi * guess * Double(start + index) / rate
            real += window * Double(sample) * cos(angle)
            imaginary -= window * Double(sample) * sin(angle)
        }
        return atan2(imaginary, real)
    }
    let length = samples.count / 2
    let shift = samples.count - length
    let early = phase(samples.prefix(length), 0)
    let late = phase(samples.suffix(length), shift)
    let turn = (late - early).remainder(dividingBy: 2 * .pi)
    return guess + turn / (2 * .pi * Double(shift) / rate)
}

@Suite("Varispeed")
struct VarispeedTests {
    @Test("at speed 1 the sound passes unchanged")
    func unity() throws {
        let (sound, _) = try play(Varispeed(), channels: 2, frames: 5_000, slices: [93, 480, 1_024]) { frame, channel in
            Float((frame * 7919 + channel * 31) % 1000) / 1000
        }
        for channel in 0..<2 {
            #expect(sound[channel] == (0..<5_000).map { Float(($0 * 7919 + channel * 31) % 1000) / 1000 })
        }
    }

    @Test(
        "speed changes length and pitch together, with the noise of reading between samples 80 dB down",
        arguments: [0.25, 0.5, 0.9, 1.1, 1.5, 2, 3.7])
    func speeds(speed: Double) throws {
        let unit = Varispeed()
        try unit.setRate(speed)
        #expect(abs(unit.cents - 1200 * log2(speed)) < 1e-9)
        let tone = 1_000.0
        let (sound, used) = try play(unit, frames: 24_000) { frame, _ in
            sine(tone, frame, rate: 48_000)
        }
        #expect(abs(Double(used) - 24_000 * speed) < 100 * max(1, speed))
        var rest: [Float] = []
        for index in 1_000..<24_000 {
            let expected = 0.5 * sin(2 * .pi * tone * speed * Double(index) / 48_000)
            rest.append(Float(Double(sound[0][index]) - expected))
        }
        #expect(Signals.decibels(Signals.power(rest[...]) / 0.125) < -80)
    }

    @Test("what would fold over at high speed is taken out")
    func aliases() throws {
        let unit = Varispeed()
        try unit.setRate(2)
        let (sound, _) = try play(unit, frames: 24_000) { frame, _ in
            sine(15_000, frame, rate: 48_000)
        }
        #expect(Signals.decibels(Signals.power(sound[0][1_000...]) / 0.125) < -80)
    }

    @Test("a moving speed leaves no step")
    func moving() throws {
        let unit = Varispeed()
        let (sound, _) = try play(
            unit, frames: 48_000, slices: [100], turn: { try unit.setRate(1 + 0.5 * sin(Double($0) / 3_000)) },
            { frame, _ in sine(100, frame, rate: 48_000) })
        let steps = zip(sound[0].dropFirst(), sound[0]).map { abs($0 - $1) }
        // 100 Hz played at most 1.5 times as fast moves by 0.0098 a frame.
        let most: Float = 0.0105
        #expect(try #require(steps.max()) < most)
    }

    @Test("speeds out of range are refused")
    func refused() {
        for rate in [0, -1, 0.2, 4.1, .nan, .infinity] {
            #expect(throws: AudioUnitError.outOfRange(setting: "rate", allowed: "0.25 to 4")) {
                try Varispeed().setRate(rate)
            }
        }
    }
}

@Suite("Time and pitch")
struct TimePitchTests {
    @Test("with rate 1 and no shift the sound passes unchanged")
    func unity() throws {
        let (sound, _) = try play(TimePitch(), channels: 2, frames: 9_000, slices: [93, 480, 1_024]) { frame, channel in
            Float((frame * 7919 + channel * 31) % 1000) / 1000
        }
        for channel in 0..<2 {
            #expect(sound[channel] == (0..<9_000).map { Float(($0 * 7919 + channel * 31) % 1000) / 1000 })
        }
    }

    @Test(
        "pitch stays within 5 cents from half to double speed, at every rate, and so does the level",
        arguments: [0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2], [8_000.0, 16_000, 48_000])
    func keepsPitch(speed: Double, rate: Double) throws {
        for tone in [110.0, 233.1, 997, 3_001] where tone < rate * 0.4 {
            let unit = TimePitch()
            try unit.setRate(speed)
            let count = Int(rate * 2)
            let (sound, used) = try play(unit, rate: rate, frames: count, slices: [Int(rate / 100)]) { frame, _ in
                sine(tone, frame, rate: rate)
            }
            #expect(abs(Double(used) / Double(count) - speed) < 0.06)
            let heard = frequency(of: sound[0][(count / 4)...], near: tone, rate: rate)
            let cents = 1200 * log2(heard / tone)
            #expect(abs(cents) < 5, "\(tone) Hz at speed \(speed), rate \(rate): \(cents) cents")
            let level = Signals.decibels(Signals.power(sound[0][(count / 4)...]) / 0.125)
            #expect(abs(level) < 0.5, "\(tone) Hz at speed \(speed), rate \(rate): \(level) dB")
        }
    }

    @Test("pitch shifts by what was asked and the speed stays", arguments: [-1_200.0, -300, 100, 700, 1_200])
    func shifts(cents: Double) throws {
        let unit = TimePitch()
        try unit.setPitch(cents)
        let (sound, used) = try play(unit, frames: 96_000) { frame, _ in
            sine(440, frame, rate: 48_000)
        }
        #expect(abs(Double(used) / 96_000 - 1) < 0.06)
        let wanted = 440 * exp2(cents / 1200)
        let heard = frequency(of: sound[0][24_000...], near: wanted, rate: 48_000)
        #expect(abs(1200 * log2(heard / wanted)) < 5)
    }

    @Test("bursts of a train are not doubled at half speed, and few are lost at double speed", arguments: [0.5, 2])
    func transients(speed: Double) throws {
        let unit = TimePitch()
        try unit.setRate(speed)
        // A burst of 4 ms every 194 ms; a period that is no multiple of the hop, which could swallow every one.
        let (sound, _) = try play(unit, frames: 288_000) { frame, _ in
            let place = Double(frame % 9_311)
            return Float(exp(-place / 200) * sin(place * 0.3) * 0.8)
        }
        let blocks = (0..<600).map { Signals.power(sound[0][($0 * 480)..<($0 * 480 + 480)]) }
        let onsets = (1..<600).filter { blocks[$0] > 0.003 && blocks[$0 - 1] < 0.001 }.count
        let expected = 288_000 * speed / 9_311
        print("bursts at speed", speed, ":", onsets, "of", expected)
        #expect(Double(onsets) < expected * 1.1 && Double(onsets) > expected * 0.6)
    }

    @Test("silence stays silence, and settings out of range are refused")
    func silenceAndRefusals() throws {
        let unit = TimePitch()
        try unit.setRate(1.7)
        #expect(try play(unit, frames: 48_000) { _, _ in 0 }.sound[0].allSatisfy { $0 == 0 })
        #expect(throws: AudioUnitError.outOfRange(setting: "rate", allowed: "0.25 to 4")) { try unit.setRate(5) }
        #expect(throws: AudioUnitError.outOfRange(setting: "pitch", allowed: "-2400 to 2400 cents")) {
            try unit.setPitch(.nan)
        }
        #expect(unit.rate == 1.7 && unit.pitch == 0)
    }
}

@Suite("Effects under the render contract", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct EffectContractTests {
    @Test("equalizer, varispeed and time-pitch allocate, free and lock nothing, their settings moving")
    func audited() throws {
        let rig = try GraphRig(channels: 2)
        let (equalizer, varispeed, timePitch) = (Equalizer(), Varispeed(), TimePitch())
        let tone = RenderCallback(context: UnsafeMutableRawPointer(bitPattern: 1)!) { _, slice in
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            for channel in 0..<2 {
                for index in 0..<slice.pointee.frames {
                    slice.pointee.channel(channel)[index] = Float((Int(slice.pointee.time.sampleTime) + index) % 97) / 200
                }
            }
        }
        try rig.graph.connect(tone, format: StreamFormat(sampleRate: 48_000, channels: 2), to: varispeed)
        try varispeed.setFormat(StreamFormat(sampleRate: 48_000, channels: 2), scope: .input, element: 0)
        try rig.graph.connect(varispeed, to: timePitch)
        try rig.graph.connect(timePitch, to: equalizer)
        try rig.graph.connect(equalizer, to: rig.output)
        try rig.graph.initialize()
        var block = [Float](repeating: 0, count: 2 * 480)
        var audit = AuditedRender()
        for turn in 0..<300 {
            try varispeed.setRate(0.25 + Double(turn % 15) / 4)
            try timePitch.setRate(0.5 + Double(turn % 7) / 4)
            try timePitch.setPitch(Double(turn % 9) * 300 - 1_200)
            try equalizer.setPreset(number: turn % EqualizerPreset.all.count)
            try audit.render(rig.output, into: &block)
        }
        #expect(audit.isClean, "\(audit.counts)")
        #expect(block.contains { $0 != 0 } && block.allSatisfy { $0.isFinite })
    }
}
