import CAudit

/// What was found inside the render scope of one device.
public struct AuditFindings: CustomStringConvertible {
    /// Callbacks that ran.
    public var scopes = 0
    public var allocations: UInt64 = 0
    public var frees: UInt64 = 0
    public var locks: UInt64 = 0

    /// Whether the contract was kept.
    public var isClean: Bool { allocations == 0 && frees == 0 && locks == 0 }
    public var description: String {
        "\(allocations) allocations, \(frees) frees, \(locks) locks in \(scopes) scopes"
    }

    mutating func add(_ counts: audit_counts) {
        scopes += 1
        allocations += counts.allocations
        frees += counts.frees
        locks += counts.locks
    }
}
