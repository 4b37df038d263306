import AudioUnits
import Realtime

/// Stamps of one direction's blocks: frames since the start, and when they are at the microphone or the loudspeaker, smoothed
/// (`BlockTimeline`).
package struct StreamClock: BitwiseCopyable {
    private var rate: Int
    private var timeline: BlockTimeline
    private var sampleTime: Int64 = 0

    /// A stream that has not begun.
    @_noLocks
    package init(rate: Int) {
        self.rate = rate
        timeline = BlockTimeline(rate: rate)
    }

    /// The length of frames in nanoseconds.
    @_noLocks
    package func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) * 1e9 / Double(rate)) }

    /// How many frames last so many nanoseconds.
    @_noLocks
    package func frames(_ nanoseconds: Int64) -> Int { Int(Double(nanoseconds) * Double(rate) / 1e9) }

    /// A block was captured.
    /// - Parameters:
    ///   - frames: of it.
    ///   - age: frames since its first one was at the microphone.
    ///   - now: the time.
    @_noLocks
    package mutating func captured(_ frames: Int, age: Int, at now: Int64) -> DeviceTime {
        let smoothed = timeline.time(measured: now &- nanoseconds(age), frames: frames)
        return stamp(frames, smoothed, latency: now &- smoothed)
    }

    /// A block is to be played.
    /// - Parameters:
    ///   - frames: of it.
    ///   - delay: frames until its first one is at the loudspeaker.
    ///   - now: the time.
    @_noLocks
    package mutating func plays(_ frames: Int, delay: Int, at now: Int64) -> DeviceTime {
        let smoothed = timeline.time(measured: now &+ nanoseconds(delay), frames: frames)
        return stamp(frames, smoothed, latency: smoothed &- now)
    }

    /// A block passes while the device is lost.
    /// - Parameters:
    ///   - frames: of it.
    ///   - now: the time.
    @_noLocks
    package mutating func passes(_ frames: Int, at now: Int64) -> DeviceTime { stamp(frames, now, latency: 0) }

    /// The stream goes elsewhere: its former times say nothing. Frames are counted on.
    @_noLocks
    package mutating func reset() { timeline.reset() }

    /// A stream begins in the place of another one, at its rate.
    /// - Parameter rate: frames a second.
    @_noLocks
    package mutating func begin(rate: Int) {
        self.rate = rate
        timeline = BlockTimeline(rate: rate)
    }

    @_noLocks
    private mutating func stamp(_ frames: Int, _ time: Int64, latency: Int64) -> DeviceTime {
        defer { sampleTime &+= Int64(frames) }
        return DeviceTime(
            sampleTime: sampleTime, hostTime: HostTime(nanoseconds: time), latencyMilliseconds: Double(latency) / 1e6)
    }
}
