import DSP
import Testing

@Suite struct SampleConversionTests {
    @Test("All 65 536 values survive the way to Float and back")
    func roundTrip() {
        let all = (Int16.min...Int16.max).map { $0 }
        var floats = [Float](repeating: 9, count: all.count)
        var back = [Int16](repeating: 0, count: all.count)
        SampleConversion.toFloat(all, count: all.count, into: &floats)
        SampleConversion.toInt16(floats, count: all.count, into: &back)
        #expect(back == all)
        #expect(floats.first == -1)
        #expect(floats.allSatisfy { (-1..<1).contains($0) })
    }

    @Test("Values in between go to the nearest, ties to the even one")
    func roundsToNearestEven() {
        for (value, expected) in [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (100.49, 100), (-100.51, -101)] {
            #expect(SampleConversion.toInt16(Float(value) / 32_768) == Int16(expected), "\(value)")
        }
    }

    @Test("Too loud is clipped and not wrapped")
    func clips() {
        for loud in [1, 1.0001, 2, 1e10, .greatestFiniteMagnitude, .infinity] as [Float] {
            #expect(SampleConversion.toInt16(loud) == 32_767, "\(loud)")
            #expect(SampleConversion.toInt16(-loud) == -32_768, "\(-loud)")
        }
        #expect(SampleConversion.toInt16(32_767.4 / 32_768) == 32_767)
    }

    @Test("What is not a number becomes silence")
    func notANumber() {
        #expect(SampleConversion.toInt16(.nan) == 0)
        #expect(SampleConversion.toInt16(.signalingNaN) == 0)
    }
}
