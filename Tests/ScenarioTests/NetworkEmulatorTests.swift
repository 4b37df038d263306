import Realtime
import Simulation
import Testing

/// One packet that came through: its number, when it was sent and when it arrived, in milliseconds.
private struct Arrival: Equatable {
    let number: Int
    let sent: Double
    let arrived: Double
    var delay: Double { arrived - sent }
}

/// Sends `count` packets, one every `interval` ms, and collects what arrives, in order of arrival.
private func run(
    _ text: String, count: Int, seed: UInt64 = 1, interval: Double = 20, bytes: Int = 172, rtcpEvery: Int? = nil
) throws -> (arrivals: [Arrival], rtcp: Int, statistics: NetworkEmulator.Statistics) {
    var network = NetworkEmulator(conditions: try NetworkConditions(parsing: text), seed: seed)
    let start = HostTime(milliseconds: 5_000)
    var arrivals = [Arrival]()
    var rtcp = 0
    func collect(until now: HostTime) {
        while let deadline = network.nextDeadline, deadline <= now {
            guard let delivery = network.nextDelivery(until: now) else {
                Issue.record("a deadline without a delivery")
                return
            }
            #expect(delivery.time == deadline)
            guard delivery.stream == .rtp else {
                rtcp += 1
                continue
            }
            #expect(delivery.bytes.count == bytes)
            let number = delivery.bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
            let arrived = delivery.time.milliseconds(since: start)
            arrivals.append(Arrival(number: number, sent: Double(number) * interval, arrived: arrived))
        }
        #expect(network.nextDelivery(until: now) == nil)
    }
    for number in 0..<count {
        let now = start.advanced(byMilliseconds: Double(number) * interval)
        collect(until: now)
        var packet = [UInt8](repeating: 0xAA, count: bytes)
        for byte in 0..<4 { packet[byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
        network.send(packet, stream: .rtp, at: now)
        if let rtcpEvery, number % rtcpEvery == 0 { network.send([0x80, 200, 0, 0], stream: .rtcp, at: now) }
    }
    collect(until: start.advanced(byMilliseconds: Double(count) * interval + 200_000))
    #expect(network.nextDeadline == nil)
    return (arrivals, rtcp, network.statistics)
}

@Suite("Network emulator") struct NetworkEmulatorTests {
    @Test("a perfect network delivers everything at once and in order")
    func perfect() throws {
        let (arrivals, rtcp, statistics) = try run("", count: 500, rtcpEvery: 50)
        #expect(arrivals == (0..<500).map { Arrival(number: $0, sent: Double($0) * 20, arrived: Double($0) * 20) })
        #expect(rtcp == 10)
        #expect(statistics.sent == 510 && statistics.delivered == 510 && statistics.lost == 0)
    }

    @Test(
        "loss has the share and the mean burst asked for",
        arguments: [(5.0, nil), (20, nil), (5, 2), (10, 1), (20, 4), (60, 3)] as [(Double, Double?)])
    func loss(percent: Double, burst: Double?) throws {
        let count = 100_000
        for seed in [UInt64(7), 8] {
            let text = "loss=\(percent)" + (burst.map { ",burst=\($0)" } ?? "")
            let (arrivals, _, statistics) = try run(text, count: count, seed: seed)
            let lost = count - arrivals.count
            #expect(statistics.lost == lost)
            #expect(abs(Double(lost) / Double(count) - percent / 100) < 0.05 * percent / 100 + 0.002, "seed \(seed)")
            let pairs = zip(arrivals, arrivals.dropFirst())
            let bursts = pairs.reduce(0) { $0 + ($1.1.number > $1.0.number + 1 ? 1 : 0) }
            let mean = Double(lost) / Double(max(bursts, 1))
            let expected = burst ?? 1 / (1 - percent / 100)
            #expect(abs(mean - expected) < 0.06 * expected, "mean burst \(mean), seed \(seed)")
        }
    }

    @Test("loss of 100 % lets nothing through, of 0 % everything")
    func extremes() throws {
        #expect(try run("loss=100", count: 100).arrivals.isEmpty)
        #expect(try run("loss=100,burst=3", count: 100).arrivals.isEmpty)
        #expect(try run("loss=0", count: 100).arrivals.count == 100)
    }

    @Test("one seed gives one outcome, another seed another")
    func determinism() throws {
        let text = "loss=5,burst=2,jitter=40,reorder=2,duplicate=2,rate=200,delay=15,spike=3000:120"
        let first = try run(text, count: 2_000, seed: 42)
        let again = try run(text, count: 2_000, seed: 42)
        let other = try run(text, count: 2_000, seed: 43)
        #expect(first.arrivals == again.arrivals)
        #expect(first.statistics == again.statistics)
        #expect(first.arrivals != other.arrivals)
    }

    @Test("one impairment or RTCP beside it does not change what another does to RTP")
    func independence() throws {
        let plain = Set(try run("loss=10", count: 2_000).arrivals.map(\.number))
        #expect(plain == Set(try run("loss=10,jitter=50,reorder=5,duplicate=5", count: 2_000).arrivals.map(\.number)))
        #expect(plain == Set(try run("loss=10", count: 2_000, rtcpEvery: 3).arrivals.map(\.number)))
    }

    @Test("jitter spreads the delay evenly and may reorder")
    func jitter() throws {
        let (arrivals, _, _) = try run("delay=10,jitter=60", count: 20_000)
        #expect(arrivals.count == 20_000)
        let delays = arrivals.map(\.delay)
        #expect(delays.allSatisfy { $0 >= 9.999 && $0 <= 70.001 })
        #expect(abs(delays.reduce(0, +) / 20_000 - 40) < 0.5)
        for quarter in 0..<4 {
            let low = 10 + 15 * Double(quarter)
            let share = Double(delays.filter { $0 >= low && $0 < low + 15 }.count) / 20_000
            #expect(abs(share - 0.25) < 0.015, "quarter \(quarter): \(share)")
        }
        #expect(zip(arrivals, arrivals.dropFirst()).contains { $1.number < $0.number })
    }

    @Test("a reordered packet comes right behind its successor")
    func reordering() throws {
        let (arrivals, _, statistics) = try run("reorder=5,delay=10", count: 20_000)
        #expect(arrivals.count == 20_000)
        #expect(abs(Double(statistics.reordered) / 20_000 - 0.05) < 0.005)
        let late = zip(arrivals, arrivals.dropFirst()).filter { $1.number < $0.number }
        // The last packet may find none to overtake it.
        #expect(abs(late.count - statistics.reordered) <= 1)
        #expect(late.allSatisfy { $1.number == $0.number - 1 && $1.arrived == $0.arrived })
    }

    @Test("a packet held for reordering arrives by itself when nothing follows")
    func lonelyReordering() throws {
        let (arrivals, _, _) = try run("reorder=100", count: 1)
        #expect(arrivals.map(\.delay) == [NetworkEmulator.reorderMilliseconds])
    }

    @Test("duplicates arrive as often as asked for, with the same bytes")
    func duplicates() throws {
        let (arrivals, _, statistics) = try run("duplicate=10,jitter=30", count: 20_000)
        #expect(abs(Double(statistics.duplicated) / 20_000 - 0.1) < 0.008)
        #expect(arrivals.count == 20_000 + statistics.duplicated)
        #expect(Set(arrivals.map(\.number)).count == 20_000)
    }

    @Test("a stall holds what would arrive in it until its end, in order, and nothing else")
    func spike() throws {
        let (arrivals, _, _) = try run("delay=5,spike=5000:120", count: 1_500)
        #expect(arrivals.map(\.number) == Array(0..<1_500))
        for arrival in arrivals {
            let due = arrival.sent + 5
            let phase = due.truncatingRemainder(dividingBy: 5_000)
            let expected = due >= 5_000 && phase < 120 ? due - phase + 120 : due
            #expect(abs(arrival.arrived - expected) < 0.001, "packet \(arrival.number)")
        }
        #expect(arrivals.filter { $0.delay > 6 }.count == 5 * 6)
    }

    @Test("a link carries its rate, delays by serialisation, and drops what waits too long")
    func rate() throws {
        // 200 bytes on the wire are 16 ms at 100 kbit/s: just fits into 20 ms.
        let fits = try run("rate=100", count: 200)
        #expect(fits.arrivals.count == 200)
        #expect(fits.arrivals.allSatisfy { abs($0.delay - 16) < 0.001 })
        // At half that it takes 32 ms: five of eight get through, and the queue stands at its limit.
        let slow = try run("rate=50", count: 4_000)
        #expect(abs(Double(slow.arrivals.count) / 4_000 - 20.0 / 32) < 0.01)
        #expect(slow.statistics.queueDropped == 4_000 - slow.arrivals.count)
        #expect(slow.arrivals.allSatisfy { $0.delay <= NetworkEmulator.queueMilliseconds + 32.001 })
        #expect(slow.arrivals.suffix(100).allSatisfy { $0.delay > 180 })
    }

    @Test("the n-th packet meets the n-th row of the trace, which starts again at its end")
    func trace() throws {
        let here = #filePath
        let folder = here[..<(here.lastIndex(of: "/") ?? here.startIndex)]
        let path = "\(folder)/Fixtures/five-packets.csv"
        let (arrivals, rtcp, _) = try run("trace=\(path),delay=1", count: 10, rtcpEvery: 1)
        #expect(rtcp == 10)
        var delays = [Int: Double]()
        for arrival in arrivals { delays[arrival.number] = arrival.delay }
        for (number, expected) in [20.0, 32.5, nil, 120, 101.25, 20, 32.5, nil, 120, 101.25].enumerated() {
            #expect(delays[number].map { ($0 * 1_000).rounded() } == expected.map { ($0 + 1) * 1_000 })
        }
    }
}
