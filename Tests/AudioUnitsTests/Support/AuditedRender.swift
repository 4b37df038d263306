import AudioUnits
import CAudit

/// Renders with the audit on and adds up what a render thread must not do.
struct AuditedRender {
    private(set) var counts = audit_counts()

    var isClean: Bool { counts.allocations == 0 && counts.frees == 0 && counts.locks == 0 }

    /// 480 frames into `block`. The lock of `render` itself belongs to the application's side.
    mutating func render(_ output: GenericOutput, into block: inout [Float]) throws {
        let new = try block.withUnsafeMutableBytes { bytes in
            audit_begin()
            defer { _ = audit_end() }
            try output.render(into: bytes, frames: 480)
            return audit_end()
        }
        counts.allocations += new.allocations
        counts.frees += new.frees
        counts.locks += new.locks
    }
}
