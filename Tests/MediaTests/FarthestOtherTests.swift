import Media
import Testing

@Suite("The farthest of all others") struct FarthestOtherTests {
    @Test(
        "is the greatest figure that is not one's own, as if all others were looked through",
        arguments: [
            [], [nil], [3], [3, nil], [1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 3, 1], [nil, 4, nil, 4, 5], [5, nil, 2, 2],
        ] as [[Double?]])
    func others(figures: [Double?]) {
        var farthest = FarthestOther()
        for (party, figure) in figures.enumerated() { farthest.add(figure, of: party) }
        for party in figures.indices {
            let others = figures.indices.filter { $0 != party }.compactMap { figures[$0] }
            #expect(farthest.value(without: party) == others.max(), "party \(party) of \(figures)")
        }
    }
}
