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
final class ArrivalLog {
    /// 80 s of packets of 20 ms: twice the memory of the history.
    private static let capacity = 4096
    private let arrivals: UnsafeMutablePointer<Arrival>
    private var first = 0
    private(set) var count = 0

    init() {
        // Not written before it is used: only then it becomes resident, and of many calls most are short.
        arrivals = .allocate(capacity: Self.capacity)
    }

    deinit { arrivals.deallocate() }

    /// From the oldest, 0, to the newest, `count - 1`.
    subscript(index: Int) -> Arrival { arrivals[(first + index) % Self.capacity] }

    func append(_ arrival: Arrival) {
        (arrivals + (first + count) % Self.capacity).initialize(to: arrival)
        if count < Self.capacity { count += 1 } else { first = (first + 1) % Self.capacity }
    }
}
