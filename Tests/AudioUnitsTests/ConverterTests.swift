import AudioUnits
import Glibc
import Testing

@Suite("Converter")
struct ConverterTests {
    private static let rates = [8_000.0, 16_000, 44_100, 48_000]

    /// Every sample type and layout, two channels.
    private static let layouts: [(SampleType, Bool)] = SampleType.allCases.flatMap { [($0, true), ($0, false)] }

    private func convert(
        _ converter: Converter, _ input: [UInt8], frames: Int, room: Int, to format: StreamFormat
    ) throws -> (bytes: [UInt8], progress: Converter.Progress) {
        var output = [UInt8](repeating: 0xAA, count: format.byteCount(frames: room))
        let progress = try input.withUnsafeBytes { source in
            try output.withUnsafeMutableBytes { try converter.convert(source, frames: frames, into: $0) }
        }
        return (output, progress)
    }

    private func bytes<T>(_ values: [T]) -> [UInt8] { values.withUnsafeBytes(Array.init) }

    private func values<T>(_ bytes: [UInt8], as type: T.Type) -> [T] {
        bytes.withUnsafeBytes { Array($0.bindMemory(to: T.self)) }
    }

    @Test("every type and layout survives the way to every other and back within its precision")
    func matrix() throws {
        let samples: [Int16] = (0..<200).map { Int16(truncatingIfNeeded: $0 * 31 - 3_000) }
        let start = StreamFormat(sampleRate: 48_000, channels: 2, sampleType: .int16, interleaved: true)
        for (type, interleaved) in Self.layouts {
            for (next, nextInterleaved) in Self.layouts {
                let first = StreamFormat(
                    sampleRate: 48_000, channels: 2, sampleType: type, interleaved: interleaved)
                let second = StreamFormat(
                    sampleRate: 48_000, channels: 2, sampleType: next, interleaved: nextInterleaved)
                var data = bytes(samples)
                for (from, to) in [(start, first), (first, second), (second, start)] {
                    let converter = try Converter(from: from, to: to)
                    let result = try convert(converter, data, frames: 100, room: 100, to: to)
                    #expect(result.progress == Converter.Progress(consumed: 100, produced: 100))
                    data = result.bytes
                }
                #expect(values(data, as: Int16.self) == samples, "\(first) \(second)")
            }
        }
    }

    @Test("full scale means the same in every type, and what is beyond it saturates")
    func fullScale() throws {
        let input: [Float] = [0.5, -1, 1, 3, -3, .nan, .infinity, -.infinity]
        func to<T>(_ type: SampleType, _ kind: T.Type) throws -> [T] {
            let format = StreamFormat(sampleRate: 8_000, sampleType: type)
            let converter = try Converter(from: StreamFormat(sampleRate: 8_000), to: format)
            return values(try convert(converter, bytes(input), frames: 8, room: 8, to: format).bytes, as: kind)
        }
        #expect(try to(.int16, Int16.self) == [16_384, -32_768, 32_767, 32_767, -32_768, 0, 32_767, -32_768])
        let top: Int32 = 2_147_483_520
        #expect(try to(.int32, Int32.self) == [1 << 30, .min, top, top, .min, 0, top, .min])
        let one: Int32 = 1 << 24
        #expect(try to(.fixed824, Int32.self) == [one / 2, -one, one, 3 * one, -3 * one, 0, top, .min])
    }

    @Test("when nothing has to change it is a plain copy, bit for bit", arguments: [true, false])
    func plainCopy(interleaved: Bool) throws {
        let format = StreamFormat(sampleRate: 44_100, channels: 2, sampleType: .int32, interleaved: interleaved)
        let input: [Int32] = (0..<128).map { Int32.max - $0 * 3 }
        let converter = try Converter(from: format, to: format)
        let result = try convert(converter, bytes(input), frames: 64, room: 64, to: format)
        #expect(values(result.bytes, as: Int32.self) == input)
        #expect(converter.latencyFrames == 0 && converter.latencySeconds == 0)
    }

    @Test("any rate to any rate keeps the tone, its level and the frame count")
    func rateMatrix() throws {
        for from in Self.rates {
            for to in Self.rates {
                let converter = try Converter(
                    from: StreamFormat(sampleRate: from), to: StreamFormat(sampleRate: to), quality: 7)
                let input = Signals.sine(1_000, rate: from, count: Int(from))
                var output: [Float] = []
                var position = 0
                var block = 93
                while position < input.count {
                    let frames = min(block, input.count - position)
                    let part = bytes(Array(input[position..<position + frames]))
                    let result = try convert(
                        converter, part, frames: frames, room: 6_000, to: StreamFormat(sampleRate: to))
                    #expect(result.progress.consumed == frames)
                    output += values(result.bytes, as: Float.self)[..<result.progress.produced]
                    position += frames
                    block = block == 93 ? 92 : 93
                }
                #expect(abs(output.count - Int(to)) <= 2 + Int(to / from))
                let middle = output[(Int(to) / 4)..<(Int(to) * 3 / 4)]
                #expect(abs(Signals.decibels(Signals.power(middle) / 0.125)) < 0.1, "\(from) to \(to)")
                // The tone itself, delayed by what the converter tells.
                let shifted = middle.indices.map { index -> Float in
                    let time = Double(index - converter.latencyFrames) / to
                    return output[index] - 0.5 * Float(sin(2_000 * .pi * time))
                }
                #expect(converter.latencySeconds == Double(converter.latencyFrames) / to)
                // It is told in whole frames: half a frame of phase may remain.
                let rest = Float(.pi * 1_000 / to)
                #expect(Signals.power(shifted[...]) / 0.125 < rest * rest * 1.1, "\(from) to \(to)")
            }
        }
    }

    @Test("a full output leaves input for the next call and nothing is lost")
    func smallOutput() throws {
        let format = StreamFormat(sampleRate: 16_000)
        let converter = try Converter(from: StreamFormat(sampleRate: 8_000), to: format)
        let whole = try Converter(from: StreamFormat(sampleRate: 8_000), to: format)
        let input = Signals.sine(500, rate: 8_000, count: 800)
        let expected = try convert(whole, bytes(input), frames: 800, room: 1_700, to: format)
        var output: [Float] = []
        var position = 0
        while position < 800 {
            let part = bytes(Array(input[position...]))
            let result = try convert(converter, part, frames: 800 - position, room: 7, to: format)
            output += values(result.bytes, as: Float.self)[..<result.progress.produced]
            position += result.progress.consumed
        }
        #expect(output == Array(values(expected.bytes, as: Float.self)[..<output.count]))
    }

    @Test("channels follow the stated rule")
    func channels() throws {
        func map(_ input: [Float], to channels: Int) throws -> [Float] {
            let from = StreamFormat(sampleRate: 48_000, channels: input.count, interleaved: true)
            let format = StreamFormat(sampleRate: 48_000, channels: channels, interleaved: true)
            let converter = try Converter(from: from, to: format)
            return values(try convert(converter, bytes(input), frames: 1, room: 1, to: format).bytes, as: Float.self)
        }
        #expect(try map([0.5], to: 2) == [0.5, 0.5])
        #expect(try map([0.5], to: 4) == [0.5, 0.5, 0, 0])
        #expect(try map([0.5, 0.25], to: 1) == [0.375])
        #expect(try map([0.5, 0.25], to: 4) == [0.5, 0.25, 0, 0])
        #expect(try map([0.5, 0.25, 0.75, 0], to: 2) == [0.625, 0.125])
        #expect(try map([0.1, 0.2, 0.3], to: 3) == [0.1, 0.2, 0.3])
    }

    @Test("24 bit: every value survives the way to Float32 and back, and full scale saturates")
    func packed24() throws {
        let format = StreamFormat(sampleRate: 48_000, sampleType: .int24)
        let numbers: [Int32] = [0, 1, -1, 127, 128, -128, 65_535, 8_388_607, -8_388_608, 1_234_567, -7_654_321]
        let packed = numbers.flatMap { number in
            (0..<3).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: number) >> UInt32(8 * $0)) }
        }
        let float = StreamFormat(sampleRate: 48_000)
        let there = try convert(
            Converter(from: format, to: float), packed, frames: numbers.count, room: numbers.count, to: float)
        #expect(values(there.bytes, as: Float.self) == numbers.map { Float($0) / 8_388_608 })
        let back = try convert(
            Converter(from: float, to: format), there.bytes, frames: numbers.count, room: numbers.count, to: format)
        #expect(back.bytes == packed)
        let loud = try convert(
            Converter(from: float, to: format), bytes([Float(2), -2, .nan]), frames: 3, room: 3, to: format)
        #expect(loud.bytes == [0xFF, 0xFF, 0x7F, 0, 0, 0x80, 0, 0, 0])
    }

    @Test("8.24 fixed point survives the way to Float32 and back within full scale, and beyond it to 24 bits")
    func fixedPoint() throws {
        let format = StreamFormat(sampleRate: 48_000, sampleType: .fixed824)
        let float = StreamFormat(sampleRate: 48_000)
        let numbers: [Int32] = [0, 1, -1, 16_777_216, -16_777_216, 12_345_677, -9_999_999, 5 << 24]
        let there = try convert(
            Converter(from: format, to: float), bytes(numbers), frames: numbers.count, room: numbers.count, to: float)
        let back = try convert(
            Converter(from: float, to: format), there.bytes, frames: numbers.count, room: numbers.count, to: format)
        #expect(values(back.bytes, as: Int32.self) == numbers)
    }

    @Test("input and output may lie at any address", arguments: SampleType.allCases)
    func anyAddress(type: SampleType) throws {
        let format = StreamFormat(sampleRate: 48_000, sampleType: type)
        // Another number of channels, or it would be a plain copy.
        let other = StreamFormat(sampleRate: 48_000, channels: 2, sampleType: type)
        let converter = try Converter(from: format, to: other)
        let input = [UInt8](repeating: 0, count: 1) + (0..<(16 * type.bytes)).map { UInt8($0 % 50 + 1) }
        var output = [UInt8](repeating: 0, count: 1 + other.byteCount(frames: 16))
        try input.withUnsafeBytes { source in
            try output.withUnsafeMutableBytes { target in
                _ = try converter.convert(
                    UnsafeRawBufferPointer(rebasing: source[1...]), frames: 16,
                    into: UnsafeMutableRawBufferPointer(rebasing: target[1...]))
            }
        }
        let even = try convert(converter, Array(input[1...]), frames: 16, room: 16, to: other)
        #expect(Array(output[1...]) == even.bytes)
    }

    @Test("in a graph it converts what feeds it to any output format", arguments: SampleType.allCases, [true, false])
    func inGraph(type: SampleType, interleaved: Bool) throws {
        let rig = try GraphRig(channels: 2)
        let converter = Converter()
        try converter.setFormat(
            StreamFormat(sampleRate: 24_000, channels: 2, sampleType: type, interleaved: interleaved), scope: .output,
            element: 0)
        try converter.setQuality(8)
        let tone = FunctionUnit(rate: 44_100) { frame, _ in
            Float(0.5 * sin(2 * .pi * 1_000 * Double(frame) / 44_100))
        }
        try rig.graph.connect(tone, to: converter)
        try rig.graph.connect(converter, to: rig.output)
        try rig.graph.initialize()
        let sound = try rig.output.pull(24_000, slices: [93, 480])
        #expect(sound[0] == sound[1])
        let level = Signals.decibels(Signals.power(sound[0][4_800...]) / 0.125)
        #expect(abs(level) < 0.05, "\(level) dB")
        // 48 kHz out of 24 out of 44.1: the source is asked for what that takes.
        #expect(abs(Double(tone.statistics.outputFrames) - 24_000 * 44_100 / 48_000) < 200)
    }

    @Test("misuse is a typed error, never an overrun")
    func misuse() throws {
        let format = StreamFormat(sampleRate: 8_000)
        let converter = Converter()
        var room = [Float](repeating: 0, count: 4)
        #expect(throws: AudioUnitError.notInitialized) {
            try room.withUnsafeMutableBytes { try converter.convert(UnsafeRawBufferPointer($0), frames: 1, into: $0) }
        }
        #expect(throws: AudioUnitError.noSuchElement(1)) {
            try converter.setFormat(format, scope: .input, element: 1)
        }
        #expect(throws: AudioUnitError.outOfRange(setting: "quality", allowed: "0 to 10")) {
            try converter.setQuality(11)
        }
        try converter.initialize()
        #expect(throws: AudioUnitError.tooManyFrames(asked: 1025, maximum: 1024)) {
            try room.withUnsafeMutableBytes {
                try converter.convert(UnsafeRawBufferPointer($0), frames: 1025, into: $0)
            }
        }
        #expect(throws: AudioUnitError.bufferTooSmall(bytes: 16, needed: 20)) {
            try room.withUnsafeMutableBytes { try converter.convert(UnsafeRawBufferPointer($0), frames: 5, into: $0) }
        }
        converter.dispose()
        #expect(throws: AudioUnitError.disposed) { try converter.initialize() }
    }
}
