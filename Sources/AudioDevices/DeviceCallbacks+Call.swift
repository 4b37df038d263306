import AudioUnits

extension DeviceCallbacks {
    /// Hands captured samples over. The callee keeps the render contract; the checker cannot look into its pointer.
    @_noLocks
    func deliver(_ samples: UnsafePointer<Float>, frames: Int, time: DeviceTime) {
        var time = time
        _unsafePerformance { capture(context, samples, frames, &time) }
    }

    /// Asks for samples to play.
    @_noLocks
    func fetch(_ samples: UnsafeMutablePointer<Float>, frames: Int, time: DeviceTime) {
        var time = time
        _unsafePerformance { playback(context, samples, frames, &time) }
    }

    /// Whether `fetch` of so many frames would leave no gap.
    @_noLocks
    func canFetch(_ frames: Int) -> Bool {
        guard let isReady else { return true }
        return _unsafePerformance { isReady(context, frames) }
    }

    /// Tells of a new format; outside of the render scope.
    func announce(_ format: DeviceStreamFormat, capture: Bool) {
        var format = format
        formatChanged(context, capture, &format)
    }
}
