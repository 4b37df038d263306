import Media
import Realtime
import Testing

@Suite("Turns of many calls") struct TickWheelTests {
    /// Turns of each member from 0 to `milliseconds`, looked at every `step` ms.
    private func run(_ wheel: inout TickWheel, milliseconds: Double, step: Double = 1) -> [[Int]: Int] {
        var slots: [[Int]: Int] = [:]
        for now in stride(from: 0, to: milliseconds, by: step) {
            while wheel.advance(to: HostTime(milliseconds: now)) != nil { slots[wheel.due.sorted(), default: 0] += 1 }
        }
        return slots
    }

    @Test("calls are spread evenly over their packet time, and each has its turn once in it")
    func spreads() {
        var wheel = TickWheel(start: .zero)
        for member in 0..<10 { wheel.add(member, everyMilliseconds: 20) }
        let slots = run(&wheel, milliseconds: 1000)
        #expect(slots.count == 4)
        #expect(slots.keys.map(\.count).sorted() == [2, 2, 3, 3])
        #expect(slots.values.allSatisfy { $0 == 50 }, "a second has 50 packets of 20 ms: \(slots)")
        #expect(Set(slots.keys.joined()) == Set(0..<10))
    }

    @Test("200 turns a second, whatever the number of calls")
    func turnsDoNotGrow() {
        for calls in [1, 100, 5000] {
            var wheel = TickWheel(start: .zero)
            for member in 0..<calls { wheel.add(member, everyMilliseconds: 20) }
            var turns = 0
            for now in 0..<1000 { while wheel.advance(to: HostTime(milliseconds: Double(now))) != nil { turns += 1 } }
            #expect(turns == 200)
        }
    }

    @Test("the phase that suits a member is taken, until it is crowded")
    func suits() {
        var wheel = TickWheel(start: .zero)
        for member in 0..<40 { wheel.add(member, everyMilliseconds: 20, after: 1) }
        let slots = run(&wheel, milliseconds: 1000)
        let counts = slots.keys.map(\.count)
        #expect(counts.reduce(0, +) == 40 && counts.max() == 16, "\(counts)")
        #expect((counts.min() ?? 0) >= 7, "\(counts)")
    }

    @Test("a member has its first turn after the wait that suits it", arguments: [0, 1, 3])
    func waitsItsSlots(slots: Int) {
        var wheel = TickWheel(start: .zero)
        while wheel.advance(to: HostTime(milliseconds: 31)) != nil {}
        wheel.add(1, everyMilliseconds: 20, after: slots)
        #expect(wheel.nextMembers == HostTime(milliseconds: 35 + 5 * Double(slots)))
        wheel.add(2, everyMilliseconds: 5, after: slots)
        #expect(wheel.nextMembers == HostTime(milliseconds: 35))
    }

    @Test("a member that is moved has its turn that much later, or earlier, from then on")
    func moves() {
        var wheel = TickWheel(start: .zero)
        wheel.add(7, everyMilliseconds: 20)
        func turns(until milliseconds: Int) -> [Int] {
            (0..<milliseconds).filter { now in
                var isDue = false
                while wheel.advance(to: HostTime(milliseconds: Double(now))) != nil { isDue = isDue || wheel.due.contains(7) }
                return isDue
            }
        }
        func isMoved(_ member: Int, bySlots slots: Int) -> Bool { wheel.move(member, bySlots: slots) }
        #expect(turns(until: 21) == [0, 20])
        #expect(isMoved(7, bySlots: 1))
        #expect(turns(until: 46) == [25, 45])
        #expect(isMoved(7, bySlots: -2))
        #expect(turns(until: 80) == [55, 75])
        #expect(!isMoved(7, bySlots: 4) && !isMoved(8, bySlots: 1) && wheel.count == 1)
    }

    @Test("members that all ask for one phase do not crowd it")
    func crowd() {
        var wheel = TickWheel(start: .zero)
        for member in 0..<400 { wheel.add(member, everyMilliseconds: 20) }
        // Those of the first three phases ask for the last one.
        for member in 0..<400 { _ = wheel.move(member, bySlots: 3 - member % 4) }
        let slots = run(&wheel, milliseconds: 1000)
        #expect(slots.keys.map(\.count).reduce(0, +) == 400)
        #expect(slots.keys.allSatisfy { $0.count <= 129 }, "\(slots.keys.map(\.count))")
    }

    @Test("a wait goes on to the next slot that has a member; without members there is none")
    func waits() {
        var wheel = TickWheel(start: .zero)
        #expect(wheel.nextMembers == nil)
        wheel.add(1, everyMilliseconds: 20)
        #expect(wheel.nextMembers == HostTime.zero)
        while wheel.advance(to: .zero) != nil {}
        #expect(wheel.nextMembers == HostTime(milliseconds: 20))
        wheel.add(2, everyMilliseconds: 60)
        #expect(wheel.nextMembers == HostTime(milliseconds: 5))
        wheel.remove(1)
        while wheel.advance(to: HostTime(milliseconds: 5)) != nil {}
        #expect(wheel.nextMembers == HostTime(milliseconds: 65))
        wheel.remove(2)
        #expect(wheel.nextMembers == nil)
    }

    @Test("packet times of 10 and 60 ms go beside each other")
    func mixedPeriods() {
        var wheel = TickWheel(start: .zero)
        wheel.add(1, everyMilliseconds: 10)
        wheel.add(2, everyMilliseconds: 60)
        var turns: [Int: Int] = [:]
        for now in 0..<600 {
            while wheel.advance(to: HostTime(milliseconds: Double(now))) != nil {
                for member in wheel.due { turns[member, default: 0] += 1 }
            }
        }
        #expect(turns == [1: 60, 2: 10])
    }

    @Test("half a second of standstill is made up for turn by turn, in order")
    func standstill() {
        var wheel = TickWheel(start: .zero)
        wheel.add(1, everyMilliseconds: 20)
        var times: [Double] = []
        while let due = wheel.advance(to: HostTime(milliseconds: 500)) {
            if !wheel.due.isEmpty { times.append(due.milliseconds(since: .zero)) }
        }
        #expect(times == (0...25).map { Double($0) * 20 })
        #expect(wheel.takeSkipped() == 0)
    }

    @Test("a clock that is set forward an hour costs one turn and not a hundred thousand")
    func clockSetForward() {
        var wheel = TickWheel(start: .zero)
        wheel.add(1, everyMilliseconds: 20)
        var turns = 0
        let hour = HostTime(milliseconds: 3_600_000)
        while wheel.advance(to: hour) != nil { turns += 1 }
        #expect(turns <= 2)
        #expect(wheel.takeSkipped() > 700_000 && wheel.takeSkipped() == 0)
        #expect(wheel.nextTurn > hour && wheel.nextTurn.milliseconds(since: hour) <= 5)
        // It goes on in its rhythm.
        turns = 0
        for now in 1...1000 {
            while wheel.advance(to: hour.advanced(byMilliseconds: Double(now))) != nil { turns += wheel.due.count }
        }
        #expect(turns == 50)
    }

    @Test("who leaves has no turn any more; who comes gets the emptiest place")
    func comeAndGo() {
        var random = SplitMix64(seed: 23)
        var wheel = TickWheel(start: .zero)
        var present: Set<Int> = []
        for step in 0..<2000 {
            if present.isEmpty || random.unit() < 0.55 {
                wheel.add(step, everyMilliseconds: 20)
                present.insert(step)
            } else if let gone = present.randomElement(using: &random) {
                wheel.remove(gone)
                wheel.remove(gone)
                present.remove(gone)
            }
            #expect(wheel.count == present.count)
        }
        var due: [Int] = []
        for _ in 0..<4 where wheel.advance(to: HostTime(milliseconds: 20)) != nil { due += wheel.due }
        #expect(due.count == present.count && Set(due) == present, "seed 23")
    }
}
