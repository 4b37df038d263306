/// The fastest arrival of each so many milliseconds.
struct FastestArrival {
    private var start: Double?
    private var best = (delay: Double.infinity, time: 0.0)

    /// - Returns: the fastest of those before this one, when their time is over.
    mutating func add(delay: Double, at time: Double, every milliseconds: Double) -> (delay: Double, time: Double)? {
        var over: (delay: Double, time: Double)?
        if let start, time - start >= milliseconds {
            if best.delay.isFinite { over = best }
            (self.start, best) = (time, (.infinity, 0))
        } else if start == nil {
            start = time
            return nil
        }
        if delay < best.delay { best = (delay, time) }
        return over
    }
}
