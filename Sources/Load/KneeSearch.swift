/// Looks for the greatest number of calls that keeps an objective: by doubling, then by halving what is between. Sans-I/O.
package struct KneeSearch {
    /// What became of a number of calls.
    package enum Verdict: Sendable, Equatable {
        case kept
        case missed
    }

    /// Found when the least number that missed is above the greatest that kept by no more than this share.
    private static let precision = 0.12
    /// Numbers that are tried.
    package let range: ClosedRange<Int>
    /// The greatest number that kept the objective; 0: none did.
    package private(set) var kept = 0
    /// The least number that missed it; `nil`: none did.
    package private(set) var missed: Int?
    private let first: Int
    /// Numbers that kept it although a lower one missed it, or the other way round: the machine was not the same.
    package private(set) var contradictions = 0

    /// - Parameters:
    ///   - first: what is tried first.
    ///   - range: what may be tried.
    package init(first: Int, range: ClosedRange<Int>) {
        self.range = range
        self.first = min(max(first, range.lowerBound), range.upperBound)
    }

    /// The number to try next; `nil`: the knee is known as well as it is going to be.
    package var next: Int? {
        guard let missed else {
            guard kept > 0 else { return first }
            return kept < range.upperBound ? min(range.upperBound, 2 * kept) : nil
        }
        guard kept > 0 else { return missed > range.lowerBound ? max(range.lowerBound, missed / 2) : nil }
        guard missed - kept > max(1, Int(Double(kept) * Self.precision)) else { return nil }
        return (kept + missed) / 2
    }

    /// Notes what became of `calls`.
    package mutating func note(_ calls: Int, _ verdict: Verdict) {
        switch verdict {
        case .kept:
            kept = max(kept, calls)
            if let other = missed, other <= calls {
                contradictions += 1
                missed = nil
            }
        case .missed:
            missed = min(missed ?? calls, calls)
            if kept >= calls {
                contradictions += 1
                kept = 0
            }
        }
    }
}
