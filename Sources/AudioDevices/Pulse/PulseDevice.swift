public import AudioUnits
import Realtime
import Threads

/// A sound server (PulseAudio, or PipeWire in its place) by its own interface: one connection and one real-time thread for both
/// directions.
///
/// ALSA's plug-in for the same server wakes six times a period, for it has a connection and a thread of libpulse's for each direction,
/// beside ours; this wakes once for each block. What plays is held at the same fill level (`PlaybackTarget`). A device that is lost
/// while it runs goes on in silence and is reopened. `stop` returns within `ALSADevice.stopMilliseconds`, whatever the server does.
public final class PulseDevice: HardwareDevice {
    public let identifier: String

    /// A server that has not answered after this time hangs.
    static let answerMilliseconds = 5000.0

    private struct State {
        var request: DeviceRequest?
        var engine: PulseEngine?
        var isRunning = false
        var thread: RealtimeThreadBox?
        var teller: RealtimeThreadBox?
        var handler: (@Sendable (DeviceEvent) -> Void)?
    }

    private let captureName: String
    private let playbackName: String
    private let state = Lock(State())

    /// A device of the user's own sound server.
    /// - Parameters:
    ///   - capture: the source that it captures from, by the server's name; empty: the default one.
    ///   - playback: the sink that it plays to, likewise.
    public init(capture: String, playback: String) {
        captureName = capture
        playbackName = playback
        identifier = capture == playback ? "pulse:\(capture)" : "pulse:\(capture)+pulse:\(playback)"
    }

    deinit { close() }

    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        close()
        return try state.withLock { state throws(DeviceError) in
            do throws(RealtimeError) {
                try launch(&state, request)
            } catch {
                end(&state)
                throw .noResources(reason: "no real-time thread or event descriptor: \(error)")
            }
            try order(&state, nil)
            state.request = request
            func format(_ capture: Bool) -> DeviceStreamFormat {
                StreamWishes(request, capture: capture, mostChannels: PulseStream.mostChannels).format
            }
            return DeviceGrant(
                capture: request.capture ? format(true) : nil, playback: request.playback ? format(false) : nil)
        }
    }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            guard let request = state.request else {
                throw .streamBroken(device: identifier, reason: "open it before it is started")
            }
            guard !state.isRunning else { return }
            if state.engine == nil {
                // abandoned by `stop`, since it hung
                do throws(RealtimeError) {
                    try launch(&state, request)
                } catch {
                    end(&state)
                    throw .noResources(reason: "no real-time thread or event descriptor: \(error)")
                }
            }
            state.engine?.setHandler(state.handler)
            try order(&state, callbacks)
            state.isRunning = true
        }
    }

    public func stop() {
        state.withLock { state in
            guard state.isRunning, let engine = state.engine else { return }
            state.isRunning = false
            if !engine.order(PulseEngine.Orders(), milliseconds: ALSADevice.stopMilliseconds) { end(&state) }
        }
    }

    public func close() {
        stop()
        state.withLock { state in
            end(&state)
            state.request = nil
        }
    }

    public func routeChanged() {
        guard let engine = state.withLock({ $0.engine }) else { return }
        engine.playback?.pointee.hasMoved.store(true, ordering: .relaxed)
        engine.retryNow.store(true, ordering: .releasing)
        engine.wake.signal()
    }

    public var status: DeviceStatus {
        state.withLock { state in
            var status = DeviceStatus()
            guard state.isRunning, let engine = state.engine else { return status }
            for board in engine.boards { board.pointee.tell(&status) }
            status.realtimePriority = state.thread?.priority
            status.isPresent = engine.isPresent.load(ordering: .relaxed)
            status.reopenCount = engine.reopened.load(ordering: .relaxed)
            return status
        }
    }

    /// Starts the threads; nothing is connected yet.
    private func launch(_ state: inout State, _ request: DeviceRequest) throws(RealtimeError) {
        let engine = try PulseEngine(capture: captureName, playback: playbackName, request: request)
        state.engine = engine
        let policy = request.realtimePriority.map { ThreadPolicy.realtime(priority: $0) } ?? .normal
        state.teller = RealtimeThreadBox(
            try RealtimeThread(name: "yodel-devices", owning: PulseTeller(engine)) { $0.run() }, finished: engine.told)
        state.thread = RealtimeThreadBox(
            try RealtimeThread(name: "yodel-pulse", policy: policy, owning: PulseLoop(engine)) { $0.run() },
            finished: engine.finished)
    }

    /// Has the thread run with these callbacks, or be idle with open streams.
    private func order(_ state: inout State, _ callbacks: DeviceCallbacks?) throws(DeviceError) {
        guard let engine = state.engine else { return }
        let hasAnswered = engine.order(
            PulseEngine.Orders(callbacks: callbacks, wantsStreams: true), milliseconds: Self.answerMilliseconds)
        if hasAnswered, engine.lastError == nil { return }
        end(&state)
        throw engine.lastError ?? .hostMissing(device: identifier, reason: "it does not answer")
    }

    /// Ends the threads; one that hangs is left behind.
    private func end(_ state: inout State) {
        guard let engine = state.engine else { return }
        _ = engine.order(PulseEngine.Orders(isEnding: true), milliseconds: 0)
        engine.report.signal()
        state.thread?.end(milliseconds: ALSADevice.stopMilliseconds)
        state.teller?.end(milliseconds: ALSADevice.stopMilliseconds)
        (state.thread, state.teller, state.engine) = (nil, nil, nil)
        state.isRunning = false
    }
}
