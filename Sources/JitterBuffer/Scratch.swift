import Realtime

/// Samples of memory with an owner, zeros to begin with; what is not used does not become resident.
package final class Scratch {
    package let base: UnsafeMutablePointer<Float>
    package let count: Int

    /// - Parameter count: samples; at least one is laid out.
    package init(count: Int) {
        self.count = max(count, 1)
        base = ZeroedMemory.allocate(self.count)
    }

    deinit { ZeroedMemory.free(base) }

    package var buffer: UnsafeMutableBufferPointer<Float> { UnsafeMutableBufferPointer(start: base, count: count) }
}
