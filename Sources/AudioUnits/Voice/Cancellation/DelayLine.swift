/// Delays blocks by a fixed number of samples, at most a block.
package struct DelayLine: ~Copyable {
    private let delay: Int
    private let block: Int
    private let held: UnsafeMutablePointer<Float>

    /// A line for blocks of `block` samples.
    package init(delay: Int, block: Int) {
        self.delay = min(delay, block)
        self.block = block
        held = cleared(block)
    }

    deinit { held.deallocate() }

    /// `output` must not be `input`.
    @_noLocks
    package mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
        let fresh = block &- delay
        for index in 0..<delay {
            output[index] = held[index]
            held[index] = input[fresh &+ index]
        }
        for index in 0..<fresh { output[delay &+ index] = input[index] }
    }
}
