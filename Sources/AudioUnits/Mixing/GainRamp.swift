/// Two gains, left and right, that move to new values over 10 ms.
struct GainRamp: BitwiseCopyable {
    private(set) var left: Float
    private(set) var right: Float
    private var targetLeft: Float
    private var targetRight: Float
    private var stepLeft: Float = 0
    private var stepRight: Float = 0
    /// Frames until the targets are reached; 0 when they are.
    private(set) var remaining = 0

    @_noLocks
    init(left: Float, right: Float) {
        self.left = left
        self.right = right
        targetLeft = left
        targetRight = right
    }

    /// Whether nothing comes through, now and until the next change.
    var isSilent: Bool { @_noLocks get { remaining == 0 && left == 0 && right == 0 } }

    /// Aims at new gains, within `frames` frames.
    @_noLocks
    mutating func aim(left: Float, right: Float, frames: Int) {
        guard left != targetLeft || right != targetRight else { return }
        targetLeft = left
        targetRight = right
        stepLeft = (left - self.left) / Float(frames)
        stepRight = (right - self.right) / Float(frames)
        remaining = frames
    }

    /// So many frames on, in which there is nothing to be heard.
    @_noLocks
    mutating func pass(_ frames: Int) {
        guard frames < remaining else {
            (left, right, remaining) = (targetLeft, targetRight, 0)
            return
        }
        remaining &-= frames
        left += stepLeft * Float(frames)
        right += stepRight * Float(frames)
    }

    /// One frame on.
    @_noLocks @inline(__always)
    mutating func advance() {
        guard remaining > 0 else { return }
        remaining &-= 1
        left = remaining == 0 ? targetLeft : left + stepLeft
        right = remaining == 0 ? targetRight : right + stepRight
    }
}
