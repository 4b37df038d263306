import AudioUnits
import Realtime

/// What the microphone heard last while nobody took it, for whoever takes the device over. The capture thread's own.
struct StandbyMemory: ~Copyable {
    /// How far back it goes, in milliseconds: a call's media begin within that time after the answer.
    static let milliseconds = 250.0
    /// The device's times are smoothed: so much more is handed over than was asked for, in milliseconds.
    static let toleranceMilliseconds = 1.0

    private var samples: UnsafeMutablePointer<Float>?
    private var format = DeviceStreamFormat(sampleRate: 1, channels: 1, periodFrames: 0, maximumFrames: 1)
    /// Frames that it can hold, frames that it holds, and the place of the next one.
    private var capacity = 0
    private var kept = 0
    private var next = 0
    /// Sample time of the frame behind the newest.
    private var end: Int64 = 0

    deinit { samples?.deallocate() }

    /// Forgets everything, and makes room for sound of this format; outside of the render scope.
    mutating func prepare(for format: DeviceStreamFormat) {
        samples?.deallocate()
        self.format = format
        (kept, next) = (0, 0)
        capacity = max(1, Int(format.sampleRate * Self.milliseconds / 1000))
        samples = .allocate(capacity: capacity * format.channels)
        samples?.initialize(repeating: 0, count: capacity * format.channels)
    }

    /// Keeps a block in the place of the oldest.
    @_noLocks
    mutating func keep(_ block: UnsafePointer<Float>, frames: Int, time: DeviceTime) {
        guard let samples else { return }
        if time.sampleTime != end { kept = 0 }
        end = time.sampleTime &+ Int64(frames)
        let channels = format.channels
        for frame in 0..<frames {
            for channel in 0..<channels { samples[next &* channels &+ channel] = block[frame &* channels &+ channel] }
            next &+= 1
            if next == capacity { next = 0 }
        }
        kept = kept &+ frames < capacity ? kept &+ frames : capacity
    }

    /// Hands over what is kept since a moment, and forgets it.
    /// - Parameters:
    ///   - client: who takes it.
    ///   - since: when the first sample of it was at the microphone.
    ///   - time: of the block that follows.
    @_noLocks
    mutating func handOver(to client: DeviceCallbacks, since: HostTime, before time: DeviceTime) {
        guard let samples, kept > 0 else { return }
        // A gap between what is kept and what follows would move one of them.
        let wanted = time.sampleTime == end ? frames(from: since, to: time.hostTime) : 0
        var left = wanted < kept ? wanted : kept
        kept = 0
        while left > 0 {
            let start = next >= left ? next &- left : next &- left &+ capacity
            var count = left < format.maximumFrames ? left : format.maximumFrames
            if count > capacity &- start { count = capacity &- start }
            let earlier = Double(left) / format.sampleRate
            let captured = DeviceTime(
                sampleTime: time.sampleTime &- Int64(left),
                hostTime: HostTime(nanoseconds: time.hostTime.nanoseconds &- Int64(earlier * 1e9)),
                latencyMilliseconds: time.latencyMilliseconds + earlier * 1000)
            client.deliver(samples + start &* format.channels, frames: count, time: captured)
            left &-= count
        }
    }

    @_noLocks
    private func frames(from begin: HostTime, to end: HostTime) -> Int {
        let milliseconds = end.milliseconds(since: begin)
        guard milliseconds > 0 else { return 0 }
        let bounded = milliseconds < Self.milliseconds ? milliseconds + Self.toleranceMilliseconds : Self.milliseconds
        return Int(bounded * format.sampleRate / 1000)
    }
}
