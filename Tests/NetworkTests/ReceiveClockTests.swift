import Network
import Realtime
import Testing

/// A machine in virtual time: a wall clock that is set or slewed, and a socket whose datagrams the kernel stamps with it.
private struct StampedSocket {
    /// Wall clock at host time 0, in ns since 1970.
    static let epoch: Int64 = 1_763_000_000_000_000_000

    var clock: ReceiveClock
    private let wall: (Int64) -> Int64
    private var queue: [(arrival: Int64, stamp: Int64)] = []
    /// Of each datagram that was read, by how many ns its mapped arrival is late.
    private(set) var errors: [Int64] = []

    init(wall: @escaping (Int64) -> Int64) {
        self.wall = wall
        clock = ReceiveClock(ClockReading(wall: wall(0), monotonic: .zero))
    }

    mutating func arrive(at time: Int64) { queue.append((time, wall(time))) }

    /// Reads at most 32 datagrams, as the transport does.
    mutating func read(at time: Int64) {
        let reading = ClockReading(wall: wall(time), monotonic: HostTime(nanoseconds: time))
        guard !queue.isEmpty else { return clock.foundNothing(at: reading) }
        clock.received(at: reading)
        let batch = queue.prefix(32)
        for datagram in batch {
            let mapped = clock.hostTime(realtimeNanoseconds: datagram.stamp)
            errors.append(mapped.nanoseconds - datagram.arrival)
            #expect(mapped <= reading.monotonic)
        }
        queue.removeFirst(batch.count)
        if batch.count < 32 { clock.emptied() }
    }
}

private let millisecond: Int64 = 1_000_000

@Suite("Kernel receive stamps become host time") struct ReceiveClockTests {
    /// A packet each 20 ms with up to 9 ms of jitter, read every 10 ms for 4 s.
    private func call(wall: @escaping (Int64) -> Int64) -> [Int64] {
        var socket = StampedSocket(wall: wall)
        for turn in Int64(1)...400 {
            let now = turn * 10 * millisecond
            if turn % 2 == 0 { socket.arrive(at: now - 10 * millisecond + turn * 7_919_000 % (9 * millisecond)) }
            socket.read(at: now)
        }
        return socket.errors
    }

    @Test("exactly, while nobody touches the wall clock") func steady() {
        let errors = call { StampedSocket.epoch + $0 }
        #expect(errors.count == 200 && errors.allSatisfy { $0 == 0 })
    }

    @Test(
        "whatever the wall clock is set to in mid-call, forwards and backwards",
        arguments: [1, 2, 5, 10, 20, 50, 300, 1000, 9_000, 60_000, 3_600_000] as [Int64], [1, -1] as [Int64])
    func steps(milliseconds: Int64, sign: Int64) {
        let step = sign * milliseconds * millisecond
        // Just after a packet and before its reading, just before one, and in a pause.
        for moment in [1_993_400_000, 1_999_999_999, 2_005_000_000] as [Int64] {
            let errors = call { StampedSocket.epoch + $0 + ($0 >= moment ? step : 0) }
            #expect(errors.count == 200)
            // No packet seems early by more than drift may be; none late by more than the step or the 10 ms it may have waited.
            #expect(errors.allSatisfy { $0 >= -millisecond }, "\(errors.min()!)")
            #expect(errors.allSatisfy { $0 <= min(abs(step), 10 * millisecond) }, "\(errors.max()!)")
            #expect(errors.count { $0 != 0 } <= 1)
        }
    }

    @Test("when the wall clock is set twice between two readings, no later than they were read") func twoSteps() {
        let errors = call {
            StampedSocket.epoch + $0 + ($0 >= 1_991_000_000 ? 700 * millisecond : 0)
                - ($0 >= 1_995_000_000 ? 400 * millisecond : 0)
        }
        #expect(errors.allSatisfy { (0...10 * millisecond).contains($0) })
    }

    @Test(
        "while the wall clock is slewed, by 500 ppm or as hard as chrony does",
        arguments: [500, -500, 83_333, -83_333] as [Int64])
    func slewing(partsPerMillion: Int64) {
        let errors = call { time in
            let slewed = min(max(0, time - 1_000_000_000), 1_000_000_000)
            return StampedSocket.epoch + time + slewed * partsPerMillion / 1_000_000
        }
        #expect(errors.count == 200)
        #expect(errors.allSatisfy { abs($0) <= 10 * millisecond * abs(partsPerMillion) / 1_000_000 + 1000 })
    }

    @Test("of a backlog that takes many readings and was stamped before and after a step", arguments: [1, -1] as [Int64])
    func backlog(sign: Int64) {
        let step = sign * 5_000 * millisecond
        var socket = StampedSocket { StampedSocket.epoch + $0 + ($0 >= 1_500_000_000 ? step : 0) }
        socket.read(at: 1_000_000_000)
        for number in Int64(0)..<1000 { socket.arrive(at: 1_000_000_000 + number * millisecond) }
        for turn in Int64(0)..<40 { socket.read(at: 2_000_000_000 + turn * millisecond) }
        #expect(socket.errors.count == 1000 && socket.errors.allSatisfy { $0 == 0 })
    }

    @Test("without a stamp, and with an absurd one, as they were read") func absurd() {
        var clock = ReceiveClock(ClockReading(wall: StampedSocket.epoch, monotonic: .zero))
        clock.received(at: ClockReading(wall: StampedSocket.epoch + millisecond, monotonic: HostTime(nanoseconds: millisecond)))
        for stamp in [0, 1, -1, .min, .max, StampedSocket.epoch + 60_000 * millisecond] as [Int64] {
            #expect(clock.hostTime(realtimeNanoseconds: stamp).nanoseconds == millisecond)
        }
    }
}
