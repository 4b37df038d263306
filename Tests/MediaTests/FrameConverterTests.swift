import Glibc
import Media
import Testing

@Suite("What turns a device's frames into a call's") struct FrameConverterTests {
    private struct Format {
        let rate: Int
        let length: Int
    }

    private static let device = Format(rate: 48_000, length: 480)

    private func make(_ call: Format) throws -> FrameConverter {
        try FrameConverter(
            deviceRate: Self.device.rate, frameLength: Self.device.length, callRate: call.rate, callFrameLength: call.length)
    }

    /// A tone of 300 Hz from `start` on, in frames of the device.
    private func feed(_ frames: Range<Int>, into converter: inout FrameConverter) -> [[Float]] {
        var result: [[Float]] = []
        for frame in frames {
            let samples = (0..<Self.device.length).map {
                Float(sin(2 * Double.pi * 300 * Double(frame * Self.device.length + $0) / Double(Self.device.rate)))
            }
            samples.withUnsafeBufferPointer { converter.process($0) { result.append(Array($0)) } }
        }
        return result
    }

    @Test("leaves frames of the device's own rate and length as they are, and says that they pass")
    func passes() throws {
        var converter = try make(Self.device)
        #expect(converter.passes && converter.conversionMilliseconds == 0 && converter.framerMilliseconds == 0)
        let frames = feed(0..<3, into: &converter)
        #expect(frames.count == 3 && frames.allSatisfy { $0.count == 480 })
        #expect(frames[1][1] == Float(sin(2 * Double.pi * 300 * 481 / 48_000)))
    }

    @Test("gives whole frames of the call's length, as many as time has passed")
    func wholeFrames() throws {
        for call in [Format(rate: 8000, length: 80), Format(rate: 16_000, length: 640), Format(rate: 48_000, length: 960)] {
            var converter = try make(call)
            let frames = feed(0..<400, into: &converter)
            #expect(frames.allSatisfy { $0.count == call.length })
            let wanted = 4 * call.rate / call.length
            #expect((wanted - 1...wanted).contains(frames.count), "\(call): \(frames.count) frames")
            let signal = Array(frames.joined().suffix(call.rate))
            #expect(abs(amplitude(of: 300, in: signal[...], rate: call.rate) - 1) < 0.01, "\(call)")
        }
    }

    @Test("goes on through a change of rate and length with less than 20 ms lost, and nothing left to wait")
    func change() throws {
        var converter = try make(Format(rate: 16_000, length: 640))
        // 40 ms frames, changed when 30 ms wait.
        let before = feed(0..<103, into: &converter).count
        try converter.change(callRate: 8000, callFrameLength: 80)
        let after = feed(103..<206, into: &converter)
        let milliseconds = before * 40 + after.count * 10
        #expect((2060 - 20...2060).contains(milliseconds), "\(milliseconds) ms of 2060")
        #expect(after.allSatisfy { $0.count == 80 })
        let signal = Array(after.joined().suffix(4000))
        #expect(abs(amplitude(of: 300, in: signal[...], rate: 8000) - 1) < 0.01)
    }

    @Test("passes frames again once the call has the device's rate and length, after what waited")
    func passesAgain() throws {
        for first in [Format(rate: 16_000, length: 640), Format(rate: 48_000, length: 1920)] {
            var converter = try make(first)
            let before = feed(0..<103, into: &converter).count
            try converter.change(callRate: 48_000, callFrameLength: 480)
            let after = feed(103..<110, into: &converter)
            #expect(converter.passes)
            #expect(after.allSatisfy { $0.count == 480 })
            let milliseconds = before * 40 + after.count * 10
            #expect((1100 - 20...1100).contains(milliseconds), "\(milliseconds) ms of 1100")
        }
    }

    @Test(
        "refuses what no resampler converts, and a change to it leaves everything as it was", arguments: [0, -8000, 1000, .max])
    func refusal(rate: Int) throws {
        #expect(throws: MediaLoopError.self) { _ = try make(Format(rate: rate, length: 80)) }
        var converter = try make(Format(rate: 8000, length: 80))
        #expect(throws: MediaLoopError.self) { try converter.change(callRate: rate, callFrameLength: 10) }
        #expect(feed(0..<10, into: &converter).allSatisfy { $0.count == 80 })
    }
}
