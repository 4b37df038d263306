/// What echo control knows about who speaks in a block; the parts behind it decide by that whether a sound may be lifted.
package struct NearEndActivity: BitwiseCopyable, Sendable {
    /// Whether the loudspeaker speaks or its echo may still ring.
    package var isFarActive: Bool
    /// How surely the near end is in the block while the far end is active, 0 ... 1.
    package var presence: Float

    @_noLocks
    package init(isFarActive: Bool, presence: Float) {
        self.isFarActive = isFarActive
        self.presence = presence
    }
}
