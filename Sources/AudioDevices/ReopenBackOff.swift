import Realtime

/// When a lost device is tried again: soon at first, then ever more seldom.
package struct ReopenBackOff: Sendable {
    /// Waits between attempts to reopen, in milliseconds: doubled from first to longest.
    package static let firstMilliseconds = 100.0
    package static let longestMilliseconds = 2000.0

    private var wait = firstMilliseconds
    /// When the next attempt is due; nil: nothing is lost.
    package private(set) var next: HostTime?

    /// Nothing is lost.
    package init() {}

    /// Something was lost: it is tried again soon, unless an attempt is due already.
    /// - Parameter now: when.
    package mutating func lost(at now: HostTime) {
        guard next == nil else { return }
        wait = Self.firstMilliseconds
        next = now.advanced(byMilliseconds: wait)
    }

    /// What was lost may be there again: it is tried at once, and soon again.
    /// - Parameter now: when.
    package mutating func hasten(at now: HostTime) {
        guard next != nil else { return }
        wait = Self.firstMilliseconds
        next = now
    }

    /// The attempt failed.
    /// - Parameter now: when.
    package mutating func failed(at now: HostTime) {
        wait = min(wait * 2, Self.longestMilliseconds)
        next = now.advanced(byMilliseconds: wait)
    }

    /// Nothing is lost any more.
    package mutating func succeeded() { next = nil }
}
