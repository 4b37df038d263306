/// Closes the way out while the far end speaks and the path of its echo is not known yet.
///
/// With an echo the delay is found within 700 ms of it. Where the microphone is loud for longer than that and no
/// delay is found, it hears somebody, not an echo (a headset), and the gate opens. It does not close on somebody who was
/// speaking before the far end did.
package struct StartGate: BitwiseCopyable {
    private var farBlocks = 0
    private var loudBlocks = 0
    /// Blocks that somebody spoke in while the far end was silent, less those that nobody did.
    private var nearBlocks = 0
    private var sinceFar = Int.max / 2
    private var floor: Float = 0
    /// Whether nothing may get out.
    package private(set) var isClosed = false

    /// Blocks of far-end speech after which the gate opens at the latest: 3 s.
    private static var patience: Int { @_noLocks get { 300 } }
    /// Blocks of it with a loud microphone: 700 ms.
    private static var loudPatience: Int { @_noLocks get { 70 } }
    /// Blocks of somebody's speech before the far end's: 300 ms.
    private static var nearPatience: Int { @_noLocks get { 30 } }
    /// Blocks that echo rings on for after the far end: 500 ms.
    private static var hangover: Int { @_noLocks get { 50 } }

    /// A gate that has heard nothing yet.
    @_noLocks
    package init() {}

    /// - Parameter microphonePower: of the block, full scale 1.
    @_noLocks
    package mutating func update(farIsActive: Bool, pathIsKnown: Bool, microphonePower: Float) {
        sinceFar = farIsActive ? 0 : min(sinceFar &+ 1, 1_000_000)
        // The microphone's own floor: quickly down, slowly up.
        if floor == 0 {
            floor = microphonePower
        } else {
            floor = microphonePower < floor ? 0.7 * floor + 0.3 * microphonePower : 1.01 * floor
        }
        if farIsActive {
            farBlocks = min(farBlocks &+ 1, Self.patience)
            if microphonePower > 4 * floor { loudBlocks = min(loudBlocks &+ 1, Self.loudPatience) }
            if nearBlocks >= Self.nearPatience { loudBlocks = Self.loudPatience }
        } else if sinceFar >= Self.hangover {
            let isLoud = microphonePower > 4 * floor && microphonePower > 1e-6
            nearBlocks = isLoud ? min(nearBlocks &+ 1, 2 &* Self.nearPatience) : max(0, nearBlocks &- 1)
        }
        let isWaiting = farBlocks < Self.patience && loudBlocks < Self.loudPatience
        isClosed = !pathIsKnown && isWaiting && sinceFar < Self.hangover
        if pathIsKnown { farBlocks = Self.patience }
    }
}
