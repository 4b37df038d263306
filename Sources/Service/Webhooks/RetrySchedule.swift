import Diagnosis
import Reporting

/// When what failed is tried again: each time twice as long, and never at the same moment as others that failed with it.
package struct RetrySchedule: Sendable {
    private var failures = 0

    /// Seconds before the second try, and at most between two.
    package static let first = 1.0
    package static let longest = 600.0

    package init() {}

    /// Seconds until the next try.
    /// - Parameters:
    ///   - random: 0..<1.
    ///   - wish: seconds that the other side asks for; it is followed, up to an hour.
    package mutating func next(random: Double, wish: Int? = nil) -> Double {
        let step = min(Self.first * Double(1 << min(failures, 16)), Self.longest)
        failures += 1
        return max(step * (0.5 + random / 2), Double(min(wish ?? 0, 3600)))
    }

    /// Seconds that the other side asks for by `Retry-After`: a number of them, or a date (RFC 9110 section 10.2.3).
    /// - Parameter now: when it came.
    /// - Returns: `nil`: it is neither.
    package static func wish(_ text: String, now: Timestamp) -> Int? {
        Int(text) ?? ClockFindings.seconds(text).map { Int($0) - Int(now.millisecondsSince1970 / 1000) }
    }

    /// One has succeeded.
    package mutating func reset() { failures = 0 }
}
