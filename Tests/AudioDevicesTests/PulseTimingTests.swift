import AudioDevices
import Testing

/// A sink that takes a block of 5 ms when the former one was played, and a server that is asked at any time between.
@Suite struct PulseTimingTests {
    private static let block: Int64 = 5_000_000

    /// What the server tells at a time, when so much was written, all in nanoseconds; it is read later.
    private func told(at time: Int64, written: Int64, read: Int64) -> PulseTiming {
        // Blocks are taken at whole multiples of their length, the first at 0.
        let taken = (time / Self.block + 1) * Self.block
        return PulseTiming(queued: written - taken, device: taken - time, answered: read - time)
    }

    @Test(
        "what is left to be heard is the same whenever the server told it and whenever that is read",
        arguments: [0, 300_000, 2_500_000, 4_900_000], [100_000, 4_700_000, 1_500_000_000])
    func delay(phase: Int64, later: Int64) throws {
        let time = 200 * Self.block + phase
        // 15 ms behind what the sink has just taken
        let written = 204 * Self.block
        let delay = try #require(told(at: time, written: written, read: time + later).delay)
        #expect(delay == written - (time + later), "of a loudspeaker that plays from 0 on without a pause")
    }

    @Test(
        "so is the age of what was captured, of a source that tells what it has not handed on",
        arguments: [0, 300_000, 2_500_000, 4_900_000], [100_000, 4_700_000, 1_500_000_000])
    func age(phase: Int64, later: Int64) {
        let time = 200 * Self.block + phase
        // It hands on blocks that are whole; all but the latest two were read until now.
        let timing = PulseTiming(queued: 2 * Self.block, device: phase, answered: later)
        #expect(timing.age == time + later - 198 * Self.block)
    }

    @Test func aMonitorMayHearWhatIsNotPlayedYet() {
        #expect(PulseTiming(queued: 0, device: -Self.block, answered: 1).age == 1 - Self.block)
    }

    @Test func aServerThatHasPlayedOnTellsHowLongItHasHadNothing() {
        #expect(told(at: 100 * Self.block, written: 50 * Self.block, read: 101 * Self.block).delay == -51 * Self.block)
    }

    @Test("a clock that was set, or an answer of long ago, tells nothing", arguments: [-1, Int64.min, 5_000_000_001, .max])
    func unknown(age: Int64) {
        #expect(PulseTiming(queued: 15, device: 5, answered: age).delay == nil)
    }

    @Test(arguments: [(Int64.max, Int64.max), (.min, .min), (.max, 0), (.min, 0)])
    func numbersOfABrokenServerTellNothing(queued: Int64, device: Int64) {
        let timing = PulseTiming(queued: queued, device: device, answered: 1)
        #expect(timing.delay == nil && timing.age == nil)
    }
}
