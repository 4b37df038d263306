import Realtime

/// Where a device's threads enter a unit: C functions over the unit's paths.
enum DeviceEntry {
    /// The paths of the directions that are enabled, and where their turns are timed.
    struct Context {
        let meters: UnsafeMutablePointer<UnitMeters>
        var capture: UnsafeMutablePointer<CapturePath>?
        var playback: UnsafeMutablePointer<PlaybackPath>?

        mutating func free() {
            capture?.deinitialize(count: 1)
            capture?.deallocate()
            playback?.deinitialize(count: 1)
            playback?.deallocate()
            capture = nil
            playback = nil
        }
    }

    static func callbacks(_ context: UnsafeMutablePointer<Context>) -> DeviceCallbacks {
        DeviceCallbacks(
            context: UnsafeMutableRawPointer(context), capture: deviceCaptured, playback: devicePlays,
            formatChanged: deviceFormatChanged, isReady: deviceMayPlay)
    }
}

@_noLocks
private func deviceCaptured(
    _ context: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>, _ frames: Int, _ time: UnsafeRawPointer
) {
    let context = context.assumingMemoryBound(to: DeviceEntry.Context.self)
    guard let path = context.pointee.capture else { return }
    let start = HostTime.monotonicNow()
    path.pointee.capture(
        samples, frames: frames, time: time.assumingMemoryBound(to: DeviceTime.self).pointee)
    context.pointee.meters.pointee.captureTurn.end(startedAt: start)
}

@_noLocks
private func devicePlays(
    _ context: UnsafeMutableRawPointer, _ samples: UnsafeMutablePointer<Float>, _ frames: Int, _ time: UnsafeRawPointer
) {
    let context = context.assumingMemoryBound(to: DeviceEntry.Context.self)
    guard let path = context.pointee.playback else { return }
    let start = HostTime.monotonicNow()
    path.pointee.playback(
        samples, frames: frames, time: time.assumingMemoryBound(to: DeviceTime.self).pointee)
    context.pointee.meters.pointee.playbackTurn.end(startedAt: start)
}

@_noLocks
private func deviceMayPlay(_ context: UnsafeMutableRawPointer, _ frames: Int) -> Bool {
    guard let path = context.assumingMemoryBound(to: DeviceEntry.Context.self).pointee.playback else { return true }
    return path.pointee.isReady(frames: frames)
}

/// Outside of the render scope: it may allocate.
private func deviceFormatChanged(_ context: UnsafeMutableRawPointer, _ isCapture: Bool, _ format: UnsafeRawPointer) {
    let context = context.assumingMemoryBound(to: DeviceEntry.Context.self)
    let format = format.assumingMemoryBound(to: DeviceStreamFormat.self).pointee
    guard format.channels > 0, format.maximumFrames > 0, StreamFormat.sampleRates.contains(format.sampleRate) else {
        return
    }
    if isCapture {
        context.pointee.capture?.pointee.rebuild(format)
        context.pointee.meters.pointee.captureTurn.setPeriod(format)
        context.pointee.meters.pointee.captureFormat.store(format)
    } else {
        context.pointee.playback?.pointee.rebuild(format)
        context.pointee.meters.pointee.playbackTurn.setPeriod(format)
        context.pointee.meters.pointee.playbackFormat.store(format)
    }
}
