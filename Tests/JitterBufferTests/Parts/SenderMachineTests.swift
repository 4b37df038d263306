import JitterBuffer
import Realtime
import Testing

@Suite("What the sender's own machine does to its packets") struct SenderMachineTests {
    private let axis = StreamAxis(
        clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
        arrival: HostTime(milliseconds: 0), delay: 0)

    @Test func nothingIsItsDoingBeforeItTellsOfNewStops() {
        var sender = SenderMachine()
        let before = sender.takes(excess: 10, at: 0)
        let none = sender.note(stops: 0, longest: 0, late: 3, at: 1000)
        let after = sender.takes(excess: 10, at: 1100)
        #expect(!before && !none && !after && !sender.isStopping)
        let begins = sender.note(stops: 4, longest: 20, late: 3, at: 2000)
        let (some, more, less) = (
            sender.takes(excess: 15, at: 2100), sender.takes(excess: 26, at: 2200), sender.takes(excess: 2, at: 2300)
        )
        #expect(begins && some && !more && !less)
        // A report without new ones ends it.
        _ = sender.note(stops: 4, longest: 20, late: 0, at: 4000)
        let calm = sender.takes(excess: 15, at: 4100)
        #expect(!calm)
    }

    @Test("more late packets than it tells of stops are the network's, before and after")
    func tooMany() {
        var sender = SenderMachine()
        let begins = sender.note(stops: 1, longest: 30, late: 10, at: 1000)
        #expect(!begins && !sender.isStopping)
        _ = sender.note(stops: 3, longest: 30, late: 1, at: 2000)
        for packet in 0..<50 { _ = sender.takes(excess: 20, at: 2000 + Double(packet) * 40) }
        let held = sender.reserve(ready: 3, at: 4000)
        _ = sender.note(stops: 4, longest: 30, late: 0, at: 4000)
        let after = sender.reserve(ready: 3, at: 4000)
        #expect(held > 20 && after == 0 && !sender.isStopping)
    }

    @Test("nonsense is taken without a trap", arguments: [-1.0, 0, .nan, .infinity, 6553.5])
    func nonsense(longest: Double) {
        var sender = SenderMachine()
        for stops in [5, 0, .max, -3, .min + 1] {
            _ = sender.note(stops: stops, longest: longest, late: 0, at: 1000)
            _ = sender.takes(excess: 50, at: 1001)
            _ = sender.takes(excess: .nan, at: .nan)
        }
        let reserve = sender.reserve(ready: 3, at: 1002)
        #expect(reserve <= MachineLateness.mostMilliseconds * 2)
    }

    /// A minute of packets whose sender stood still every 0.7 s for 5 to 17 ms, then so many more without.
    private func manager(tells: Bool, calmPackets: Int = 0) -> DelayManager {
        var delays = DelayManager()
        var stops = 0
        for sequence in 0..<(3000 + calmPackets) {
            let isLate = sequence < 3000 && sequence % 35 == 17
            let late = isLate ? 5 + Double(sequence % 4) * 4 : 0
            if isLate { stops += 1 }
            let time = Double(sequence) * 20
            delays.learn(from: .stored(sequence, at: time + 30 + late), axis: axis, concealsItself: false)
            if tells, sequence % 200 == 199 { delays.noteSender(stops: stops, longest: 17, at: time + 40) }
        }
        return delays
    }

    @Test("the target is what its stops need, by its name, and the network's spread stays what it is")
    func target() {
        let told = manager(tells: true).target
        #expect((17...20).contains(told.held), "\(told.held) ms held")
        #expect(told.wanted < 6 && told.aboveFloor == told.held)
        let untold = manager(tells: false).target
        #expect(untold.held == 0 && untold.wanted > 17, "\(untold.wanted) ms without being told")
    }

    @Test("what they need is given back some seconds after they are over")
    func over() {
        let calm = manager(tells: true, calmPackets: 400).target
        #expect(calm.held == 0 && calm.aboveFloor < 6)
    }

    @Test("gaps are booked as the sender's when its stops made them, else as the network's")
    func gaps() throws {
        var simulation = StreamSimulation()
        simulation.seconds = 40
        simulation.signal = Signal.tone(500)
        simulation.pullJitter = 0.5
        simulation.network = { packet, _ in
            switch (packet.index % 35, packet.index < 1000) {
            case (17, true): [10]
            case (17, false): [36]
            // Due in the same stop, and sent after the other one.
            case (18, false): [17]
            default: [1]
            }
        }
        let untold = try simulation.run().statistics
        #expect(untold.concealments > 0 && untold.gapsOfSender == 0 && untold.gapsOfMachine == 0)
        // One stop of 40 ms hit no packet.
        simulation.senderReports = (1...19).map { (time: Double($0) * 2000, stops: $0 * 3, longest: 40) }
        let told = try simulation.run().statistics
        #expect(told.gapsOfSender > 0 && told.gapsOfSender <= told.concealments && told.gapsOfMachine == 0)
    }
}

extension StoredPacket {
    fileprivate static func stored(_ sequence: Int, at arrival: Double) -> StoredPacket {
        LevelPacket.stored(Int64(sequence), arrival: arrival)
    }
}
