/// Mixes the voices of a conference into two channels, each from a direction of its own.
public protocol PlacingMixer: AnyObject {
    /// Voices there may be.
    var maximumParties: Int { get }
    /// Adds a voice, which gets the next number from 0 on; the others move aside.
    func join()
    /// Lets a voice go; those after it move down by one, and all get new places.
    func leave(_ party: Int)
    /// Takes a voice's next block.
    func set(_ samples: UnsafeBufferPointer<Float>, of party: Int)
    /// Mixes the blocks at hand into left and right by turns, two samples a frame.
    func render(into headset: inout [Float])
}
