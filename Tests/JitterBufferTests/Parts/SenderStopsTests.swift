import JitterBuffer
import Realtime
import Testing

@Suite("Stops that the sender tells of") struct SenderStopsTests {
    /// A line of 30 ms, some packets of which are late by 15 ms since their sender stood still for 17.
    private final class Line {
        private var delays = DelayManager()
        private var sequence: Int64 = 0
        private var untold: [(end: Double, milliseconds: Double)] = []
        /// By how much every other packet is late, in milliseconds.
        private let jitter: Double
        private let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)

        init(jitter: Double = 0) { self.jitter = jitter }

        var target: Double { delays.target.aboveFloor }
        var mean: Double? { delays.mean }
        var reason: TargetReason { delays.targetReason }

        /// Packets up to a time.
        /// - Parameters:
        ///   - seconds: that have passed then.
        ///   - isLate: whether every 25th packet is late: one in half a second.
        ///   - tells: whether the sender tells of its stops, every 4 s.
        ///   - wrong: milliseconds by which the stops were told too early.
        func run(to seconds: Double, isLate: Bool, tells: Bool, wrong: Double = 0) {
            while Double(sequence) * 20 < 1000 * seconds {
                let isHeldUp = isLate && sequence % 25 == 24
                let arrival = Double(sequence) * 20 + (isHeldUp ? 45 : 30) + (sequence % 2 == 0 ? jitter : 0)
                delays.learn(from: LevelPacket.stored(sequence, arrival: arrival), axis: axis, concealsItself: false)
                if isHeldUp { untold.append((arrival - wrong, 17)) }
                sequence += 1
                guard tells, sequence % 200 == 0 else { continue }
                tell(untold, at: arrival + 10)
                untold = []
            }
        }

        func tell(_ stops: [(end: Double, milliseconds: Double)], at time: Double) { delays.told(stops, at: time) }

        /// The next packet is late by so many milliseconds.
        func come(lateBy milliseconds: Double) {
            let arrival = Double(sequence) * 20 + 30 + milliseconds
            delays.learn(from: LevelPacket.stored(sequence, arrival: arrival), axis: axis, concealsItself: false)
            sequence += 1
        }
    }

    /// A line of 20 s and so many more in which nothing is late.
    private func makeLine(
        isLate: Bool = true, tells: Bool = true, wrong: Double = 0, calm: Double = 0, jitter: Double = 0
    ) -> Line {
        let line = Line(jitter: jitter)
        line.run(to: 20, isLate: isLate, tells: tells, wrong: wrong)
        line.run(to: 20 + calm, isLate: false, tells: tells)
        return line
    }

    @Test("As long as they go on, the target is what late packets ask for, and the sender's doing")
    func whileTheyGoOn() {
        let (told, untold) = (makeLine(), makeLine(tells: false))
        #expect(abs(told.target - untold.target) < 0.01 && told.target > 15, "\(told.target) ms, \(untold.target) untold")
        #expect(told.reason == .sender && untold.reason == .network)
    }

    @Test("With the first report that tells of no more, the target is that of a line without them")
    func whenTheyAreOver() {
        let (told, untold) = (makeLine(calm: 4.2), makeLine(tells: false, calm: 4.2))
        let quiet = makeLine(isLate: false, calm: 4.2)
        #expect(abs(told.target - quiet.target) < 0.01, "\(told.target) ms, \(quiet.target) without stops")
        #expect(untold.target > quiet.target + 10, "\(untold.target) ms")
        #expect(told.reason == .network)
    }

    @Test("On a calm line packets in time show that they are over before that is told, for the late ones since the report too")
    func beforeItIsTold() {
        let (line, quiet) = (makeLine(), makeLine(isLate: false, calm: 3.95))
        line.run(to: 20.6, isLate: true, tells: true)
        line.run(to: 23, isLate: false, tells: true)
        #expect(line.target > 15 && line.reason == .sender, "\(line.target) ms")
        line.run(to: 23.95, isLate: false, tells: true)
        #expect(abs(line.target - quiet.target) < 0.01 && line.reason == .network, "\(line.target) ms, \(quiet.target)")
        line.run(to: 24.2, isLate: false, tells: true)
        #expect(abs(line.target - quiet.target) < 0.01, "\(line.target) ms once it is told")
    }

    @Test(
        "After a pause that looked like their end the first packet as late as a stop shows that they go on, one a little late does not",
        arguments: [false, true], [false, true])
    func afterAPause(isToldToBeOver: Bool, isOneLittleLate: Bool) {
        let line = makeLine()
        let during = line.target
        line.run(to: isToldToBeOver ? 24.2 : 23.95, isLate: false, tells: true)
        #expect(line.target < 6 && line.reason == .network, "\(line.target) ms")
        if isOneLittleLate {
            line.come(lateBy: 2)
            #expect(line.reason == .network)
        }
        line.run(to: 25, isLate: true, tells: false)
        #expect(abs(line.target - during) < 1 && line.reason == .sender, "\(line.target) ms, \(during) before")
    }

    @Test("Long after they are over a late packet is the network's")
    func longAfter() {
        let line = makeLine(calm: 12)
        line.run(to: 32.6, isLate: true, tells: false)
        #expect(line.reason == .network, "\(line.target) ms")
    }

    @Test("Where packets are late for other reasons, what is told alone ends them")
    func jitter() {
        let line = makeLine(calm: 3.95, jitter: 2)
        #expect(line.target > 15 && line.reason == .sender, "\(line.target) ms")
        line.run(to: 24.2, isLate: false, tells: true)
        let quiet = makeLine(isLate: false, calm: 4.2, jitter: 2)
        #expect(abs(line.target - quiet.target) < 1 && line.reason == .network, "\(line.target) ms, \(quiet.target)")
    }

    @Test("Once they come again, all of them are remembered")
    func whenTheyComeAgain() {
        let line = makeLine(calm: 8)
        #expect(line.target < 6, "\(line.target) ms")
        line.tell([(28_000, 4)], at: 28_040)
        line.run(to: 28.2, isLate: false, tells: true)
        #expect(line.target > 15 && line.reason == .sender, "\(line.target) ms")
    }

    @Test("One alone bodes no other: what it held up is not held against the line")
    func one() {
        let (line, quiet) = (Line(), Line())
        line.run(to: 2, isLate: false, tells: true)
        line.run(to: 2.5, isLate: true, tells: true)
        line.run(to: 3.9, isLate: false, tells: true)
        let before = line.target
        line.run(to: 4.2, isLate: false, tells: true)
        quiet.run(to: 4.2, isLate: false, tells: true)
        #expect(before > quiet.target + 5, "\(before) ms, \(quiet.target) without it")
        #expect(abs(line.target - quiet.target) < 0.01 && line.reason == .network, "\(line.target) ms, \(quiet.target)")
    }

    @Test("What was late at other times is the network's")
    func otherTimes() {
        let (told, untold) = (makeLine(wrong: 200, calm: 4.2), makeLine(tells: false, calm: 4.2))
        #expect(abs(told.target - untold.target) < 1, "\(told.target) ms, \(untold.target) untold")
    }

    @Test("Whoever tells of none changes nothing, to the last bit")
    func none() {
        let (told, untold) = (Line(), Line())
        untold.run(to: 30, isLate: true, tells: false)
        for second in 1...30 {
            told.run(to: Double(second), isLate: true, tells: false)
            told.tell([], at: Double(second) * 1000)
        }
        #expect(told.target == untold.target && told.mean == untold.mean && told.reason == .network)
    }

    @Test("Nonsense is passed over", arguments: [Double.nan, .infinity, -.infinity, -1e9, 0, 401, 1e9])
    func nonsense(number: Double) {
        let line = makeLine()
        for end in [number, 19_000, 20_000, 5000] {
            line.tell([(end, number), (number, 15), (end, 15)], at: 20_100)
            line.tell(Array(repeating: (end, number), count: 1000), at: number)
        }
        line.run(to: 30, isLate: true, tells: true)
        #expect(line.target > 0 && line.target < 100, "\(line.target) ms")
    }
}
