public import AudioUnits
import CALSA
import Realtime
import Threads

/// A sound card or sound server through ALSA: one real-time thread for each direction, or at periods of 15 ms and more one for
/// both (`ALSADuplexLoop`), and one that supervises.
///
/// A device that is lost while it runs goes on in silence and is reopened (`ALSASupervisor`). What plays is held at a
/// fill level that adapts (`PlaybackTarget`), whatever ALSA's buffer is. `stop` returns within
/// `stopMilliseconds` also when the sound server hangs.
public final class ALSADevice: HardwareDevice {
    public let identifier: String

    /// `stop` waits this long for each of its threads before it abandons one that hangs inside alsa-lib.
    public static let stopMilliseconds = 500.0

    private struct State {
        var request: DeviceRequest?
        var capture: ALSAStream?
        var playback: ALSAStream?
        var engine: ALSAEngine?
        /// One for each direction, or one for both.
        var threads: [RealtimeThreadBox] = []
        var supervisor: RealtimeThreadBox?
        var handler: (@Sendable (DeviceEvent) -> Void)?
    }

    private let captureName: String
    private let playbackName: String
    private let state = Lock(State())

    /// A device that captures from one ALSA PCM and plays to another, or the same.
    public init(capture: String, playback: String) {
        captureName = capture
        playbackName = playback
        identifier = capture == playback ? "alsa:\(capture)" : "alsa:\(capture)+alsa:\(playback)"
    }

    deinit {
        stop()
        close()
    }

    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        close()
        return try state.withLock { state throws(DeviceError) in
            state.request = request
            try openMissing(&state)
            return DeviceGrant(capture: state.capture?.format, playback: state.playback?.format)
        }
    }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            guard let request = state.request else {
                throw .streamBroken(device: identifier, reason: "open it before it is started")
            }
            guard state.engine == nil else { return }
            try openMissing(&state)
            // What was lost is opened anew, perhaps in another format. No thread has these callbacks yet.
            if let format = state.capture?.format { callbacks.announce(format, capture: true) }
            if let format = state.playback?.format { callbacks.announce(format, capture: false) }
            do throws(RealtimeError) {
                try launch(&state, request, callbacks)
            } catch {
                halt(&state)
                throw .noResources(reason: "no real-time thread or event descriptor: \(error)")
            }
        }
    }

    public func stop() { state.withLock { halt(&$0) } }

    public func close() {
        state.withLock { state in
            halt(&state)
            state.capture?.close()
            state.playback?.close()
            state.capture = nil
            state.playback = nil
            state.request = nil
        }
    }

    public func routeChanged() {
        guard let engine = state.withLock({ $0.engine }) else { return }
        engine.playback?.line.pointee.board.hasMoved.store(true, ordering: .relaxed)
        engine.retryNow.store(true, ordering: .releasing)
        engine.report.signal()
    }

    public var status: DeviceStatus {
        state.withLock { state in
            var status = DeviceStatus()
            guard let engine = state.engine else { return status }
            for direction in engine.directions { direction.line.pointee.board.tell(&status) }
            status.realtimePriority = state.threads.compactMap(\.priority).min()
            status.isPresent = engine.isPresent.load(ordering: .relaxed)
            status.reopenCount = engine.reopened.load(ordering: .relaxed)
            return status
        }
    }

    /// Whether both directions hang or are lost together: one PCM's, or one sound server's.
    private var isOneDevice: Bool {
        let plugins = [captureName, playbackName].map { $0.prefix { $0 != ":" } }
        return captureName == playbackName || plugins.allSatisfy { $0 == "pulse" } || plugins.allSatisfy { $0 == "pipewire" }
    }

    /// Opens what the request asks for and no earlier run left open.
    private func openMissing(_ state: inout State) throws(DeviceError) {
        guard let request = state.request else { return }
        do throws(DeviceError) {
            if request.capture, state.capture == nil {
                state.capture = try ALSAStream.open(captureName, capture: true, request)
            }
            if request.playback, state.playback == nil {
                state.playback = try ALSAStream.open(playbackName, capture: false, request)
            }
        } catch {
            state.capture?.close()
            state.playback?.close()
            state.capture = nil
            state.playback = nil
            throw error
        }
    }

    private func launch(
        _ state: inout State, _ request: DeviceRequest, _ callbacks: DeviceCallbacks
    ) throws(RealtimeError) {
        let engine = try ALSAEngine(
            capture: request.capture ? captureName : nil, playback: request.playback ? playbackName : nil,
            request: request, handler: state.handler)
        state.engine = engine
        let policy = request.realtimePriority.map { ThreadPolicy.realtime(priority: $0) } ?? .normal
        let supervisor = ALSASupervisor(engine: engine)
        state.supervisor = RealtimeThreadBox(
            try RealtimeThread(name: "yodel-devices", owning: supervisor) { $0.run() },
            finished: engine.supervisorFinished)
        func thread<Loop: ~Copyable>(
            _ name: String, until finished: EventSignal, _ loop: consuming sending Loop,
            _ body: @escaping @Sendable (inout Loop) -> Void
        ) throws(RealtimeError) {
            let thread = try RealtimeThread(name: name, policy: policy, owning: loop, body: body)
            state.threads.append(RealtimeThreadBox(thread, finished: finished))
        }
        if let capture = state.capture, let playback = state.playback,
            let microphone = engine.capture?.line, let loudspeaker = engine.playback?.line,
            isOneDevice, ALSADuplexLoop.suits(capture, playback)
        {
            state.capture = nil  // the thread owns them now
            state.playback = nil
            let loop = ALSADuplexLoop(
                capture: ALSACaptureLoop(
                    engine: engine, line: microphone, stream: capture, callbacks: callbacks,
                    otherWake: loudspeaker.pointee.wake),
                playback: ALSAPlaybackLoop(
                    engine: engine, line: loudspeaker, stream: playback, callbacks: callbacks, isDuplex: true))
            try thread("yodel-duplex", until: loudspeaker.pointee.finished, loop) { $0.run() }
        }
        if let line = engine.playback?.line, let stream = state.playback {
            state.playback = nil
            let loop = ALSAPlaybackLoop(engine: engine, line: line, stream: stream, callbacks: callbacks)
            try thread("yodel-playback", until: line.pointee.finished, loop) { $0.run() }
        }
        if let line = engine.capture?.line, let stream = state.capture {
            state.capture = nil
            let loop = ALSACaptureLoop(engine: engine, line: line, stream: stream, callbacks: callbacks)
            try thread("yodel-capture", until: line.pointee.finished, loop) { $0.run() }
        }
    }

    /// Ends the threads and takes their streams back; a thread that hangs is left behind with its stream.
    private func halt(_ state: inout State) {
        guard let engine = state.engine else { return }
        engine.stopping.store(true, ordering: .releasing)
        for direction in engine.directions {
            direction.line.pointee.board.stopping.store(true, ordering: .releasing)
            direction.line.pointee.wake.signal()
        }
        engine.report.signal()
        for thread in state.threads { thread.end(milliseconds: Self.stopMilliseconds) }
        state.capture = engine.capture?.line.pointee.reusable()
        state.playback = engine.playback?.line.pointee.reusable()
        state.supervisor?.end(milliseconds: Self.stopMilliseconds)
        state.threads = []
        state.supervisor = nil
        state.engine = nil
    }
}
