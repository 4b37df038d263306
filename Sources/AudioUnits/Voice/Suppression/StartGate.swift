/// Closes the way out while the far end speaks and the path of its echo is not known yet.
///
/// It opens as soon as the alignment can tell that there is no echo (a headset), mostly after a fifth of a second. With an
/// echo the delay is found within 700 ms of it; where the microphone is loud for longer than that and no delay is found, it
/// hears somebody, and the gate opens too.
package struct StartGate: BitwiseCopyable {
    private var farBlocks = 0
    private var loudBlocks = 0
    private var sinceFar = Int.max / 2
    private var floor: Float = 0
    /// Whether nothing may get out.
    package private(set) var isClosed = false

    /// Blocks of far-end speech after which the gate opens at the latest: 3 s.
    private static var patience: Int { @_noLocks get { 300 } }
    /// Blocks of it with a loud microphone: 700 ms.
    private static var loudPatience: Int { @_noLocks get { 70 } }
    /// Blocks that echo rings on for after the far end: 500 ms.
    private static var hangover: Int { @_noLocks get { 50 } }

    /// A gate that has heard nothing yet.
    @_noLocks
    package init() {}

    /// - Parameters:
    ///   - hasNoEcho: whether what the microphone hears is no echo, as far as can be told.
    ///   - microphonePower: of the block, full scale 1.
    @_noLocks
    package mutating func update(farIsActive: Bool, pathIsKnown: Bool, hasNoEcho: Bool, microphonePower: Float) {
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
        }
        let isWaiting = farBlocks < Self.patience && loudBlocks < Self.loudPatience
        isClosed = !pathIsKnown && !hasNoEcho && isWaiting && sinceFar < Self.hangover
        if pathIsKnown { farBlocks = Self.patience }
    }
}
