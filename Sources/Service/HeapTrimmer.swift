import Realtime

/// Gives what calls have used back to the system once none is left: the C library keeps the free memory of the busiest hour for
/// good otherwise. Not while a call runs, for the heap is locked meanwhile.
struct HeapTrimmer {
    /// So long nothing may run before, in milliseconds.
    private static let calmMilliseconds = 2000.0

    private var hasRun = false
    /// When to look again; `nil`: when something happens.
    private(set) var due: HostTime?

    /// - Parameter running: calls there are.
    mutating func look(running: Int, now: HostTime) {
        if running > 0 {
            (hasRun, due) = (true, nil)
        } else if hasRun {
            (hasRun, due) = (false, now.advanced(byMilliseconds: Self.calmMilliseconds))
        } else if let due, now >= due {
            self.due = nil
            ProcessMemory.giveBack()
        }
    }
}
