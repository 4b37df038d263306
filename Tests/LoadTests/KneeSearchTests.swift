import Load
import Realtime
import Testing

@Suite("The search for the knee") struct KneeSearchTests {
    /// Runs a search on a machine that carries `knee` calls; what was tried.
    private func run(knee: Int, first: Int, range: ClosedRange<Int> = 1...10_000) -> (KneeSearch, tried: [Int]) {
        var search = KneeSearch(first: first, range: range)
        var tried: [Int] = []
        while let calls = search.next, tried.count < 100 {
            tried.append(calls)
            search.note(calls, calls <= knee ? .kept : .missed)
        }
        return (search, tried)
    }

    @Test("finds it within an eighth, in a handful of steps, wherever it begins")
    func finds() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<500 {
            let knee = Int.random(in: 1...10_000, using: &random)
            let first = Int.random(in: 1...10_000, using: &random)
            let (search, tried) = run(knee: knee, first: first)
            #expect(search.kept <= knee && search.contradictions == 0)
            #expect(knee - search.kept <= max(1, search.kept / 8), "\(search.kept) of \(knee), from \(first)")
            #expect(tried.count <= 20 && Set(tried).count == tried.count, "\(tried)")
        }
    }

    @Test("a machine that carries not even one, and one that carries all")
    func ends() {
        let (none, tried) = run(knee: 0, first: 40)
        #expect(none.kept == 0 && none.missed == 1 && tried == [40, 20, 10, 5, 2, 1])
        let (all, _) = run(knee: .max, first: 600, range: 1...1000)
        #expect(all.kept == 1000 && all.missed == nil)
    }

    @Test("what limits a search that nothing missed is its range, or the time that was up before")
    func nothingMissed() {
        let (all, _) = run(knee: .max, first: 600, range: 1...1000)
        #expect(CapacityLimit(ofSearchWithoutMiss: all) == .range)
        var early = KneeSearch(first: 100, range: 1...1000)
        early.note(100, .kept)
        #expect(CapacityLimit(ofSearchWithoutMiss: early) == .time)
        #expect(CapacityLimit.time.name == "time")
    }

    @Test("a machine that changes its mind is believed the last time, and it is told")
    func contradiction() {
        var search = KneeSearch(first: 100, range: 1...1000)
        search.note(100, .missed)
        search.note(50, .kept)
        search.note(75, .kept)
        search.note(75, .missed)
        #expect(search.kept == 0 && search.missed == 75 && search.contradictions == 1)
        search.note(80, .kept)
        #expect(search.kept == 80 && search.missed == nil && search.contradictions == 2)
    }
}
