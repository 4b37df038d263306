import AudioUnits
import Media
import Realtime

/// The audio hardware's side of a call: an I/O unit and the two rings that join its threads to the media thread.
///
/// ```
/// capture thread:  unit.input  -> CaptureInlet  -> captureRing -> media thread
/// playback thread: unit.output <- PlayoutOutlet <- playoutRing <- media thread
/// ```
/// The rings belong to the device, not to a call: several calls share them through one `MediaLoop`.
///
/// Sendable: all fields are constants; each end of a ring is used by one thread, and the callbacks end before the memory.
public final class AudioEndpoint: @unchecked Sendable {
    /// Milliseconds each ring can hold; far more than either ever should, and at 48 kHz just a power of two.
    static let ringMilliseconds = 340
    /// The same where one thread has both ends by turns, so that nothing waits for another one: a period and a packet, or a period and
    /// the margin of the play-out. The system counts a ring twice, for its memory is mapped twice.
    static let steppedRingMilliseconds = 170
    /// Longest packet that goes with it, in milliseconds.
    private static let steppedFrameMilliseconds = 60

    /// The unit that owns the device.
    public let unit: any InputOutputUnit
    /// The call's rate in Hz; the unit converts to the hardware's.
    public let sampleRate: Int
    /// Channels played: 1, or 2 for a headset.
    public let playoutChannels: Int
    /// Rung when a whole frame waits in the capture ring, and when the playback thread has taken a short block.
    let bell: Bell

    /// The media thread's ends of the rings.
    public let end: DeviceEnd

    // Device threads' ends; reached by pointer from the unit's callbacks only.
    private let inlet: UnsafeMutablePointer<CaptureInlet>
    private let outlet: UnsafeMutablePointer<PlayoutOutlet>

    /// Joins `unit`, which must not be initialized yet, to fresh rings and initializes it.
    /// - `sampleRate`: the rate the call works at, in Hz.
    /// - `frameLength`: samples of one codec frame; the media thread is woken once for each.
    /// - `playoutChannels`: 1, or 2 by turns in the play-out ring; the unit converts to the hardware's.
    /// - `plays`: false where the unit's capture keeps time and nobody listens.
    /// - `isStepped`: whether one thread moves the device and has its other ends, by turns.
    /// - `bell`: what it is woken by.
    public init(
        unit: any InputOutputUnit, sampleRate: Int, frameLength: Int, playoutChannels: Int = 1, plays: Bool = true,
        isStepped: Bool = false, bell: Bell = Bell()
    ) throws(CallError) {
        self.unit = unit
        self.playoutChannels = playoutChannels
        self.bell = bell
        self.sampleRate = sampleRate
        let format = StreamFormat(sampleRate: Double(sampleRate), channels: 1)
        do {
            let isShort = isStepped && frameLength * 1000 <= Self.steppedFrameMilliseconds * sampleRate
            let capacity = sampleRate * (isShort ? Self.steppedRingMilliseconds : Self.ringMilliseconds) / 1000
            let capture = try RingEnds<Float>(minimumCapacity: capacity)
            let playout = try RingEnds<Float>(minimumCapacity: plays ? capacity * playoutChannels : 1)
            let captureTimes = TripleBuffer(initial: StreamTiming.none)
            let playoutTimes = TripleBuffer(initial: PlayoutTiming(stream: .none, missing: 0))
            inlet = .allocate(capacity: 1)
            inlet.initialize(
                to: CaptureInlet(
                    ring: capture.producer, timing: captureTimes.writer, bell: bell.cord,
                    frameLength: frameLength, sampleRate: sampleRate, maximumFrames: capacity))
            outlet = .allocate(capacity: 1)
            outlet.initialize(
                to: PlayoutOutlet(
                    ring: playout.consumer, timing: playoutTimes.writer, bell: bell.cord,
                    sampleRate: sampleRate, channels: playoutChannels))
            end = DeviceEnd(
                sampleRate: sampleRate, playoutChannels: playoutChannels, captureRing: capture.consumer,
                playoutRing: playout.producer, captureTiming: captureTimes.reader, playoutTiming: playoutTimes.reader,
                latency: { unit.latency }, machine: { unit.device.status.machine })
        } catch {
            throw .resources("\(error)")
        }
        do {
            try unit.enable(input: true, output: plays)
            try unit.setFormat(format, scope: .output, element: 1)
            try unit.setFormat(
                StreamFormat(
                    sampleRate: format.sampleRate, channels: playoutChannels, interleaved: playoutChannels > 1),
                scope: .input, element: 0)
            try unit.setInputHandler(
                InputHandler(context: inlet) { context, notice in
                    context.assumingMemoryBound(to: CaptureInlet.self).pointee
                        .take(notice.assumingMemoryBound(to: InputNotice.self).pointee)
                })
            try unit.setRenderCallback(
                RenderCallback(
                    context: outlet,
                    readiness: { context, frames in
                        context.assumingMemoryBound(to: PlayoutOutlet.self).pointee.isReady(frames)
                    }
                ) { context, slice in
                    context.assumingMemoryBound(to: PlayoutOutlet.self).pointee
                        .give(&slice.assumingMemoryBound(to: RenderSlice.self).pointee)
                })
            try unit.initialize()
        } catch {
            throw .audioUnit(error)
        }
    }

    deinit {
        unit.dispose()
        inlet.deinitialize(count: 1)
        inlet.deallocate()
        outlet.deinitialize(count: 1)
        outlet.deallocate()
    }
}

extension AudioEndpoint {
    /// Takes what was captured and tops the play-out ring up to 40 ms; for whoever uses the device without a call.
    public func exchange(
        captured: (UnsafeBufferPointer<Float>) -> Void, playout: (UnsafeMutableBufferPointer<Float>) -> Void
    ) {
        Framer(frameLength: sampleRate / 100).process(&end.captureRing, captured)
        var block = [Float](repeating: 0, count: sampleRate / 100)
        while end.playoutRing.filled() < sampleRate / 25 {
            block.withUnsafeMutableBufferPointer { playout($0) }
            guard block.withUnsafeBufferPointer({ end.playoutRing.write($0.baseAddress!, count: $0.count) }) > 0 else { return }
        }
    }
}
