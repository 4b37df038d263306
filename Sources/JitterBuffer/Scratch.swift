/// Samples of memory with an owner.
package final class Scratch {
    package let base: UnsafeMutablePointer<Float>
    package let count: Int

    /// - Parameter count: samples; at least one is laid out.
    package init(count: Int) {
        self.count = max(count, 1)
        base = .allocate(capacity: self.count)
        base.initialize(repeating: 0, count: self.count)
    }

    deinit { base.deallocate() }

    package var buffer: UnsafeMutableBufferPointer<Float> { UnsafeMutableBufferPointer(start: base, count: count) }
}
