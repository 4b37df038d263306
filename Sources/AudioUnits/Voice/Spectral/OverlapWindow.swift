import Glibc

/// The window of analysis and synthesis: two blocks long, 1 for an eighth of a block between sine slopes, 0 at its start.
///
/// The squares of two windows a block apart add up to 1. Because it starts with zeros, a block that comes out is whole
/// 7/8 of a block after its last sample went in: 8.75 ms of the 10 ms that echo control adds.
package enum OverlapWindow {
    /// Frames of `block` that the window is 0 for: they need not be waited for. 1.25 ms of 10.
    package static func lead(block: Int) -> Int { block / 8 }

    /// 2 `block` values, to be freed by who asks.
    static func make(block: Int) -> UnsafeMutablePointer<Float> {
        let lead = lead(block: block)
        let slope = block - lead
        let window = cleared(2 * block)
        for index in 0..<slope {
            let angle = Double.pi / 2 * (Double(index) + 0.5) / Double(slope)
            window[lead + index] = Float(sin(angle))
            window[block + lead + index] = Float(cos(angle))
        }
        for index in block..<block + lead { window[index] = 1 }
        return window
    }
}
