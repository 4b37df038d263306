import RTP
import Testing

@Suite struct NTPTimeTests {
    @Test func theUnixEpochIs2208988800SecondsAfterNTPs() {
        let epoch: UInt64 = 2_208_988_800 << 32
        #expect(NTPTime(unixNanoseconds: 0).rawValue == epoch)
        #expect(NTPTime(unixNanoseconds: 500_000_000).rawValue == epoch + 0x8000_0000)
        #expect(NTPTime(unixNanoseconds: -500_000_000).rawValue == epoch - 0x8000_0000)
    }

    @Test func theCompactFormIsTheMiddle() {
        #expect(NTPTime(rawValue: 0xb44d_b705_2000_0000).compact == 0xb705_2000)
    }

    @Test(arguments: [Int64.min, .max, 2_085_978_496_000_000_000]) func noTimeTraps(nanoseconds: Int64) {
        // The last one is the wrap of 2036: seconds start at 0 again.
        let time = NTPTime(unixNanoseconds: nanoseconds)
        #expect(nanoseconds != 2_085_978_496_000_000_000 || time.rawValue == 0)
    }
}
