import Testing

import AudioUnits

@Suite("Frequency bands")
struct FrequencyBandsTests {
    @Test("Every bin is in one band, bands are about a critical band wide", arguments: [81, 161, 241, 481])
    func partition(bins: Int) {
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        var next = 0
        for band in 0..<bands.count {
            let range = bands.bins(of: band)
            #expect(range.lowerBound == next)
            #expect(range.count >= 2)
            let centre = Double(range.lowerBound + range.upperBound) / 2 * 50
            #expect(Double(range.count) * 50 <= max(150, 0.3 * centre), "\(range)")
            next = range.upperBound
        }
        let count = bands.count
        #expect(next == bins)
        if bins == 161 { #expect((18...23).contains(count), "\(count)") }
    }

    @Test("Sums are those of the bins")
    func sums() {
        let bands = FrequencyBands(bins: 161, binHertz: 50)
        var sums = [Float](repeating: -1, count: bands.count)
        bands.add((0..<161).map(Float.init), into: &sums)
        let first = bands.bins(of: 0).reduce(Float(0)) { $0 + Float($1) }
        #expect(sums[0] == first)
        #expect(sums.reduce(0, +) == 160 * 161 / 2)
    }
}
