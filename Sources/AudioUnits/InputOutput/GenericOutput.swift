public import Realtime

/// Generic output: the output side of an I/O unit, pulled by the application instead of hardware.
///
/// Nothing is paced and nothing depends on the clock, so rendering is deterministic and as fast as the machine.
/// Default formats: 48,000 Hz, Float32, mono on both scopes of element 0; the maximum frames per slice is 1024.
/// Calls to `render` must not overlap each other or the control calls.
public final class GenericOutput: AudioUnit {
    /// Sendable: used under its owner's lock alone.
    private struct Control: @unchecked Sendable {
        var state = UnitState.uninitialized
        var inner = StreamFormat(sampleRate: 48_000)
        var outer = StreamFormat(sampleRate: 48_000)
        var maximumSlice = 1024
        var quality = 5
        var callback: RenderCallback?
        var observers: [RenderObserver] = []
        var path: UnsafeMutablePointer<PlaybackPath>?
        var sampleTime: Int64 = 0
        /// Of the first frame; `nil`: nothing was rendered yet.
        var began: HostTime?
        /// What `withRendered` lends.
        var own: UnsafeMutableRawBufferPointer?
    }

    private let control = Lock(Control())
    private nonisolated(unsafe) let meters: UnsafeMutablePointer<UnitMeters>

    public init() {
        meters = .allocate(capacity: 1)
        meters.initialize(to: UnitMeters())
    }

    deinit {
        dispose()
        meters.deinitialize(count: 1)
        meters.deallocate()
    }

    public var component: AudioComponentDescription { .genericOutput }
    public var state: UnitState { control.withLock { $0.state } }
    /// Counters since instantiation.
    public var statistics: UnitStatistics { meters.pointee.statistics }
    public var maximumFramesPerSlice: Int { control.withLock { $0.maximumSlice } }

    public func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        guard (1...65_536).contains(frames) else {
            throw .outOfRange(setting: "maximum frames per slice", allowed: "1 to 65536")
        }
        try configure("maximum frames per slice") { $0.maximumSlice = frames }
    }

    /// Scope `input` is what the callback fills, scope `output` what `render` returns; the unit converts.
    public func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError) {
        guard element == Element.output else { throw .noSuchElement(element) }
        try format.validate()
        try configure("stream format") {
            if scope == .input { $0.inner = format } else { $0.outer = format }
        }
    }

    public func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat {
        guard element == Element.output else { throw .noSuchElement(element) }
        guard state != .disposed else { throw .disposed }
        return control.withLock { scope == .input ? $0.inner : $0.outer }
    }

    /// Who fills the output; before `initialize()`, nil renders silence and counts it.
    public func setRenderCallback(_ callback: RenderCallback?) throws(AudioUnitError) {
        try configure("render callback") { $0.callback = callback }
    }

    /// Whether this is the render callback that was set, by its context.
    func has(_ callback: RenderCallback) -> Bool { control.withLock { $0.callback?.context == callback.context } }

    /// Has `observer` see every slice the callback fills, as Float32 in runs, besides those added before; before
    /// `initialize()`.
    public func addRenderObserver(_ observer: RenderObserver) throws(AudioUnitError) {
        try configure("render observer") { $0.observers.append(observer) }
    }

    public func initialize() throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            switch control.state {
            case .disposed: return .disposed
            case .initialized, .running: return .initialized(setting: "initialize")
            case .uninitialized: break
            }
            let device = DeviceStreamFormat(
                sampleRate: control.outer.sampleRate, channels: control.outer.channels,
                periodFrames: control.maximumSlice, maximumFrames: control.maximumSlice)
            do throws(AudioUnitError) {
                let path = try PlaybackPath(
                    device: device, format: control.inner, maximumSlice: control.maximumSlice,
                    callback: control.callback, observers: control.observers, reference: nil, meters: meters)
                let place = UnsafeMutablePointer<PlaybackPath>.allocate(capacity: 1)
                place.initialize(to: path)
                control.path = place
            } catch {
                return error
            }
            control.own = .allocate(byteCount: control.outer.byteCount(frames: control.maximumSlice), alignment: 16)
            (control.sampleTime, control.began) = (0, nil)
            control.state = .initialized
            return nil
        }
        if let failure { throw failure }
    }

    /// Renders the next `frames` frames in the output format, all channels, into `buffer`.
    ///
    /// Channels that are not interleaved follow each other, `frames` samples each. The time stamps the callback sees
    /// count on from `hostTime` of the first call at the exact rate.
    public func render(
        into buffer: UnsafeMutableRawBufferPointer, frames: Int, hostTime: HostTime = .zero
    ) throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            guard control.state != .disposed else { return .disposed }
            guard let path = control.path else { return .notInitialized }
            guard (0...control.maximumSlice).contains(frames) else {
                meters.pointee.oversizedAsks.wrappingAdd(1, ordering: .relaxed)
                return .tooManyFrames(asked: frames, maximum: control.maximumSlice)
            }
            let needed = control.outer.byteCount(frames: frames)
            guard buffer.count >= needed else { return .bufferTooSmall(bytes: buffer.count, needed: needed) }
            guard frames > 0, let base = buffer.baseAddress else { return nil }
            let began = control.began ?? hostTime
            control.began = began
            let time = DeviceTime(
                sampleTime: control.sampleTime,
                hostTime: began.advanced(byMilliseconds: 1000 * Double(control.sampleTime) / control.outer.sampleRate),
                latencyMilliseconds: 0)
            path.pointee.render(
                base, format: control.outer, channelByteStride: frames * control.outer.sampleType.bytes,
                frames: frames, time: time)
            control.sampleTime += Int64(frames)
            return nil
        }
        if let failure { throw failure }
    }

    /// Renders the next `frames` frames into a buffer of the unit's, which `body` may read while it runs.
    ///
    /// The layout is that of `render(into:frames:)`.
    public func withRendered<Result>(
        frames: Int, hostTime: HostTime = .zero, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(AudioUnitError) -> Result {
        nonisolated(unsafe) let own = control.withLock { $0.own }
        guard let own else { throw state == .disposed ? .disposed : .notInitialized }
        try render(into: own, frames: frames, hostTime: hostTime)
        let bytes = try format(scope: .output, element: Element.output).byteCount(frames: frames)
        return body(UnsafeRawBufferPointer(rebasing: own[..<bytes]))
    }

    public func uninitialize() {
        control.withLock { control in
            control.own?.deallocate()
            control.own = nil
            control.path?.deinitialize(count: 1)
            control.path?.deallocate()
            control.path = nil
            if control.state != .disposed { control.state = .uninitialized }
        }
    }

    public func dispose() {
        uninitialize()
        control.withLock { control, leaving in
            leaving.take(control.callback)
            leaving.take(control.observers)
            control.callback = nil
            control.observers = []
            control.state = .disposed
        }
    }

    private func configure(_ setting: String, _ change: (inout Control) -> Void) throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control, leaving in
            switch control.state {
            case .disposed: return .disposed
            case .initialized, .running: return .initialized(setting: setting)
            case .uninitialized: break
            }
            leaving.take(control.callback)
            change(&control)
            return nil
        }
        if let failure { throw failure }
    }
}
