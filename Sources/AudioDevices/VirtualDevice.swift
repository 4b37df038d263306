import AudioFiles
public import AudioUnits
public import Realtime

/// File, pipe, silence, a program or a simulated room in place of hardware, moved by its own clock or by the caller.
///
/// With `DeviceOptions.Clock.manual` nothing happens between calls of `advance`, which runs the callbacks on the
/// caller's thread: a whole call in virtual time. `advance`, `start` and `stop` then belong to one thread.
public final class VirtualDevice: HardwareDevice {
    public let identifier: String

    /// Rate when nobody asks for one, in Hz.
    public static let defaultRate = 48000.0
    /// Period when nobody asks for one, in milliseconds.
    public static let defaultPeriodMilliseconds = 10.0
    /// Shortest period, in frames: the room convolves in blocks of a period.
    static let leastPeriodFrames = 16

    private struct State {
        var request: DeviceRequest?
        var format: DeviceStreamFormat?
        var model: VirtualModel?
        var core: VirtualCore?
        var clock: VirtualClock?
        /// In the clock's place.
        var turns: VirtualTurns?
        var owedFrames = 0
        var handler: (@Sendable (DeviceEvent) -> Void)?
    }

    private let captureSpecification: DeviceSpecification
    private let playbackSpecification: DeviceSpecification
    /// A program in place of files and rooms; `nil`: none.
    private let exchange: SoundExchange?
    private let options: DeviceOptions
    private let state = Lock(State())

    /// A device that captures from one specification and plays to another, or the same; neither is ALSA.
    public init(capture: DeviceSpecification, playback: DeviceSpecification, options: DeviceOptions = DeviceOptions()) {
        captureSpecification = capture
        playbackSpecification = playback
        exchange = nil
        self.options = options
        identifier = capture == playback ? capture.name : capture.name + "+" + playback.name
    }

    /// One specification for both directions.
    public convenience init(_ specification: DeviceSpecification, options: DeviceOptions = DeviceOptions()) {
        self.init(capture: specification, playback: specification, options: options)
    }

    /// A device whose microphone and loudspeaker are a program, at the program's rate.
    public init(_ exchange: SoundExchange, identifier: String, options: DeviceOptions = DeviceOptions()) {
        (captureSpecification, playbackSpecification) = (.null, .null)
        (self.exchange, self.identifier, self.options) = (exchange, identifier, options)
    }

    deinit { close() }

    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        close()
        return try state.withLock { state throws(DeviceError) in
            let wanted = exchange.map { Double($0.sampleRate) } ?? request.sampleRate ?? Self.defaultRate
            let rate = min(max(wanted.rounded(), 4000), 384_000)
            let period = min(max(request.periodMilliseconds ?? Self.defaultPeriodMilliseconds, 1), 500)
            let frames = max(Int(rate * period / 1000), Self.leastPeriodFrames)
            let format = DeviceStreamFormat(
                sampleRate: rate, channels: 1, periodFrames: frames, maximumFrames: frames + 2)
            state.model = try makeModel(request, format)
            state.request = request
            state.format = format
            return DeviceGrant(
                capture: request.capture ? format : nil, playback: request.playback ? format : nil)
        }
    }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            guard let request = state.request, let format = state.format, let model = state.model else {
                throw .streamBroken(device: identifier, reason: "open it before it is started")
            }
            guard state.core == nil else { return }
            let core = VirtualCore(
                format: format, request: request, model: model, callbacks: callbacks, handler: state.handler)
            if let turns = state.turns {
                turns.move(core)
            } else if options.clock == .realtime {
                do throws(RealtimeError) {
                    state.clock = try VirtualClock(core: core, priority: request.realtimePriority)
                } catch {
                    throw .noResources(reason: "no thread or event descriptor for the device's clock: \(error)")
                }
            }
            state.core = core
            state.owedFrames = 0
        }
    }

    public func stop() {
        state.withLock { state in
            state.clock?.stop()
            state.clock = nil
            state.turns?.move(nil)
            state.core = nil
        }
    }

    public func close() {
        stop()
        state.withLock { state in
            state.model = nil
            state.format = nil
            state.request = nil
        }
    }

    public func takeTurns() -> (any DeviceTurns)? {
        guard options.clock == .realtime, exchange != nil || (captureSpecification == .null && playbackSpecification == .null)
        else { return nil }
        return state.withLock { state in
            guard state.core == nil else { return nil }
            let turns = VirtualTurns()
            state.turns = turns
            return turns
        }
    }

    /// Manual clock: moves the device on by `frames`, the last of which ends at `now`.
    ///
    /// Whole periods are delivered, each at its own time; what is left counts towards the next call. Does nothing
    /// before `start` or with a clock of its own.
    public func advance(frames: Int, now: HostTime) {
        guard options.clock == .manual, frames > 0 else { return }
        let step = state.withLock { state -> (core: VirtualCore, owed: Int)? in
            guard let core = state.core else { return nil }
            state.owedFrames += frames
            let owed = state.owedFrames
            state.owedFrames = owed % core.format.periodFrames
            return (core, owed)
        }
        guard let (core, total) = step else { return }
        var owed = total
        while owed >= core.format.periodFrames {
            owed -= core.format.periodFrames
            core.step(now: now.advanced(byMilliseconds: -Double(owed) * 1000 / core.format.sampleRate))
        }
    }

    public var status: DeviceStatus {
        state.withLock { state in
            var status = DeviceStatus()
            guard let core = state.core, let request = state.request else { return status }
            if request.capture {
                status.captureXruns = core.xruns.load(ordering: .relaxed)
                status.captureLatencyMilliseconds = Double(core.format.periodFrames) * 1000 / core.format.sampleRate
            }
            if request.playback {
                status.playbackXruns = core.xruns.load(ordering: .relaxed)
                status.playbackSilentMilliseconds = Double(core.silence.load(ordering: .relaxed)) / 1000
                status.playbackLatencyMilliseconds = 0
            }
            status.realtimePriority = state.clock?.priority
            if state.clock != nil || state.turns != nil { status.machine = core.board.reading }
            return status
        }
    }

    /// Opens the files and builds the room.
    private func makeModel(_ request: DeviceRequest, _ format: DeviceStreamFormat) throws(DeviceError) -> VirtualModel {
        let rate = Int(format.sampleRate)
        var model = VirtualModel()
        if let exchange {
            if request.capture { model.source = .exchange(exchange) }
            if request.playback { model.sink = .exchange(exchange) }
            return model
        }
        if case .room(let room) = captureSpecification {
            model.room = try RoomModel(room, sampleRate: rate, blockFrames: format.periodFrames, options)
            return model
        }
        let waits = options.clock == .manual
        if request.capture {
            switch captureSpecification {
            case .file(let path?, _, let loop):
                let reader = try withDeviceFile { () throws(AudioFileError) in
                    try AudioFileReader(path: path, rate: rate, isWanted: options.isWanted)
                }
                model.source = .file(reader, loop: loop)
            case .pipe: model.source = .pipe(PipeReader(waits: waits))
            case .file(nil, _, _), .null, .room, .systemDefault, .alsa, .other: break
            }
        }
        if request.playback {
            switch playbackSpecification {
            case .file(_, let path?, _):
                let writer = try withDeviceFile { () throws(AudioFileError) in
                    try AudioFileWriter(path: path, sampleRate: rate)
                }
                model.sink = .file(writer)
            case .pipe: model.sink = .pipe(waits: waits)
            case .file(_, nil, _), .null, .room, .systemDefault, .alsa, .other: break
            }
        }
        return model
    }
}
