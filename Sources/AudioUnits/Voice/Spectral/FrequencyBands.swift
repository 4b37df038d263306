/// The bands that bins are judged in: as wide as the ear's, 18 % of their centre, but at least 100 Hz.
package struct FrequencyBands: ~Copyable {
    /// Bands.
    package let count: Int
    /// Bins that they cover, from bin 0 on.
    package let bins: Int
    private let edges: UnsafeMutablePointer<Int>

    /// - Parameters:
    ///   - binHertz: distance of two bins.
    ///   - lowest: Hz of bin 0.
    package init(bins: Int, binHertz: Double, lowest: Double = 0) {
        var found = [0]
        while let start = found.last, start < bins {
            // Width w of a band that begins at f: w = 0.18 (f + w / 2).
            let width = max(100, 0.18 * (lowest + Double(start) * binHertz) / 0.91)
            let next = start + max(1, Int((width / binHertz).rounded()))
            // What is left at the top joins the last band where it is less than half as wide.
            found.append(bins - next < (next - start) / 2 ? bins : min(bins, next))
        }
        count = found.count - 1
        self.bins = bins
        edges = .allocate(capacity: found.count)
        edges.initialize(from: found, count: found.count)
    }

    deinit { edges.deallocate() }

    /// Bins of a band.
    @_noLocks
    package func bins(of band: Int) -> Range<Int> { Range(uncheckedBounds: (edges[band], edges[band &+ 1])) }

    /// Sums of `values`, one a bin, into `sums`, one a band.
    @_noLocks
    package func add(_ values: UnsafePointer<Float>, into sums: UnsafeMutablePointer<Float>) {
        for band in 0..<count {
            var total: Float = 0
            for bin in bins(of: band) { total += values[bin] }
            sums[band] = total
        }
    }
}
