/// Media of one packet that became usable, or that what came before it says nothing of the floor after it.
struct Arrival: BitwiseCopyable {
    /// Arrival time minus media time in milliseconds, as measured.
    var delay: Double
    var weight: Double
    /// Arrival in milliseconds since the epoch.
    var time: Double

    /// Where the floor was forgotten: it takes an arrival's place, so that it falls out of the log with what came before it.
    static func forgettingFloor(at time: Double) -> Arrival { Arrival(delay: .nan, weight: 0, time: time) }

    var forgetsFloor: Bool { delay.isNaN }
}

/// The last arrivals as they were measured, for when a better estimate of the drift shows them in another light.
///
/// Each takes 12 bytes: of all that a call remembers this is the most, and it grows for 80 s.
final class ArrivalLog {
    /// An arrival, beside the first one of the log.
    private struct Note: BitwiseCopyable {
        /// In 1/1024 ms; `forgetting` for what says nothing of the floor.
        var delay: Int32
        var weight: Float
        /// In 1/64 ms, modulo 2^32.
        var time: UInt32

        static let forgetting = Int32.min
        static let (delayUnits, timeUnits) = (1024.0, 64.0)
    }

    /// 80 s of packets of 20 ms: twice the memory of the history.
    private static let capacity = 4096
    /// Milliseconds from the oldest to the newest; a third of what a note's time tells apart.
    private static let longestSpan = 4 * 3_600_000.0
    /// Milliseconds from one to the next, and between their delays: beyond that is another stream's beginning, and the log is begun anew.
    private static let (longestPause, longestJump) = (3_600_000.0, 1_000_000.0)

    private let notes: UnsafeMutablePointer<Note>
    private var first = 0
    private(set) var count = 0
    private var origin = (delay: 0.0, time: 0.0)
    private var newest = 0.0

    init() {
        // Not written before it is used: only then it becomes resident, and of many calls most are short.
        notes = .allocate(capacity: Self.capacity)
    }

    deinit { notes.deallocate() }

    /// From the oldest, 0, to the newest, `count - 1`.
    subscript(index: Int) -> Arrival {
        let note = notes[(first + index) % Self.capacity]
        // Signed: one may have come before the one that was noted before it.
        let behind = Int32(bitPattern: Self.units(of: newest, since: origin.time) &- note.time)
        let time = newest - Double(behind) / Note.timeUnits
        if note.delay == Note.forgetting { return .forgettingFloor(at: time) }
        return Arrival(delay: origin.delay + Double(note.delay) / Note.delayUnits, weight: Double(note.weight), time: time)
    }

    /// Adds an arrival; the oldest goes where there is no room.
    func append(_ arrival: Arrival) {
        let jump = arrival.forgetsFloor ? 0 : abs(arrival.delay - origin.delay)
        if count == 0 || abs(arrival.time - newest) > Self.longestPause || jump > Self.longestJump {
            count = 0
            origin = (arrival.forgetsFloor ? 0 : arrival.delay, arrival.time)
        }
        newest = arrival.time
        let delay = arrival.forgetsFloor ? Note.forgetting : Int32(((arrival.delay - origin.delay) * Note.delayUnits).rounded())
        let time = Self.units(of: newest, since: origin.time)
        (notes + (first + count) % Self.capacity).initialize(to: Note(delay: delay, weight: Float(arrival.weight), time: time))
        if count < Self.capacity { count += 1 } else { first = (first + 1) % Self.capacity }
        while newest - self[0].time > Self.longestSpan {
            first = (first + 1) % Self.capacity
            count -= 1
        }
    }

    private static func units(of time: Double, since origin: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64(((time - origin) * Note.timeUnits).rounded()))
    }
}
