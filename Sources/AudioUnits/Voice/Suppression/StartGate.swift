/// Closes the way out while the far end speaks and the path of its echo is not known yet.
///
/// It opens as soon as the alignment can tell that there is no echo (a headset), mostly after a fifth of a second. An echo's
/// delay is found within 700 ms. If the microphone is loud for longer than that and no delay is found, the microphone hears
/// somebody, and the gate opens too.
package struct StartGate: BitwiseCopyable {
    private let tuning: StartGateTuning
    private var farBlocks = 0
    private var loudBlocks = 0
    private var sinceFar = Int.max / 2
    private var floor: Float = 0
    /// Whether nothing may get out.
    package private(set) var isClosed = false

    /// A gate that has heard nothing yet.
    @_noLocks
    package init(tuning: StartGateTuning = StartGateTuning()) { self.tuning = tuning }

    /// Nothing was heard yet.
    @_noLocks
    package mutating func restart() { self = StartGate(tuning: tuning) }

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
            floor =
                microphonePower < floor
                ? (1 - tuning.floorFall) * floor + tuning.floorFall * microphonePower : tuning.floorRise * floor
        }
        if farIsActive {
            farBlocks = min(farBlocks &+ 1, tuning.patience)
            if microphonePower > tuning.overFloor * floor { loudBlocks = min(loudBlocks &+ 1, tuning.loudPatience) }
        }
        let isWaiting = farBlocks < tuning.patience && loudBlocks < tuning.loudPatience
        isClosed = !pathIsKnown && !hasNoEcho && isWaiting && sinceFar < tuning.hangover
        if pathIsKnown { farBlocks = tuning.patience }
    }
}
