import CAudit
import Testing

/// Something that C makes, or refuses to make where the system has no memory.
struct Creator: CustomTestStringConvertible, Sendable {
    /// What became of one try.
    struct Outcome {
        let isMade: Bool
        /// Requests that were refused.
        let failed: UInt64
        /// What is still there after what was made has been given back.
        let kept: Int64
    }

    let testDescription: String
    /// Whether it needs all that it asks for. OpenSSL does without some of what it asks for while it makes keys.
    var needsAll = true
    /// From the 64th request on one of so many is refused first: keys ask for thousands.
    var stride: UInt64 = 1
    /// Calls C only: Swift itself cannot go on without memory. `nil`: refused.
    let create: @Sendable () -> UnsafeMutableRawPointer?
    let destroy: @Sendable (UnsafeMutableRawPointer) -> Void

    /// Makes one and gives it back.
    /// - Parameters:
    ///   - first: which of its requests is refused, from 1 on; none if it makes fewer.
    ///   - count: how many are refused in a row.
    func attempt(refusing first: UInt64, count: UInt64) -> Outcome {
        audit_begin()
        audit_fail_from(first, count)
        let thing = create()
        audit_fail_end()
        if let thing { destroy(thing) }
        let counts = audit_end()
        return Outcome(isMade: thing != nil, failed: counts.failed, kept: counts.kept)
    }
}
