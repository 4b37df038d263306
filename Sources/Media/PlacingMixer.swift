/// Mixes the voices of a conference into two channels, each from a direction of its own.
public protocol PlacingMixer: AnyObject {
    /// Adds a voice, which gets the next number from 0 on; the others move aside.
    func join()
    /// Takes a voice's next block.
    func set(_ samples: UnsafeBufferPointer<Float>, of party: Int)
    /// Mixes the blocks at hand into left and right by turns, two samples a frame.
    func render(into headset: inout [Float])
}
