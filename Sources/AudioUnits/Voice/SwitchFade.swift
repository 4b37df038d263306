/// Fades between two signals within 10 ms when a switch is thrown, so that no click is heard.
struct SwitchFade: BitwiseCopyable {
    /// Share of the signal that is on.
    private var share: Float

    @_noLocks
    init(isOn: Bool) { share = isOn ? 1 : 0 }

    /// Whether nothing is left of the one that is off.
    @_noLocks
    func isSettled(isOn: Bool) -> Bool { share == (isOn ? 1 : 0) }

    /// Leaves `signal` where the switch is on, puts `other` there where it is off; fades over the block when it was thrown.
    @_noLocks
    mutating func mix(
        _ signal: UnsafeMutablePointer<Float>, over other: UnsafePointer<Float>, count: Int, isOn: Bool
    ) {
        let target: Float = isOn ? 1 : 0
        if share == target {
            if !isOn { for index in 0..<count { signal[index] = other[index] } }
            return
        }
        let step = (target - share) / Float(max(1, count))
        for index in 0..<count {
            share += step
            signal[index] = other[index] + (signal[index] - other[index]) * share
        }
        share = target
    }

    /// The same against silence, for runs of any length: a fade takes `length` samples.
    @_noLocks
    mutating func scale(_ signal: UnsafeMutablePointer<Float>, count: Int, isOn: Bool, length: Int) {
        let target: Float = isOn ? 1 : 0
        if share == target {
            if !isOn { zero(signal, frames: count) }
            return
        }
        let step = (isOn ? 1 : -1) / Float(max(1, length))
        for index in 0..<count {
            share = max(0, min(1, share + step))
            signal[index] *= share
        }
    }
}
