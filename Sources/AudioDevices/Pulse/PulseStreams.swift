import AudioUnits
import CPulse
import Realtime

/// The connection of a `PulseDevice` and the streams on it, as far as there are some.
struct PulseStreams {
    /// One direction.
    struct Port {
        let name: String
        let wishes: StreamWishes
        fileprivate var stream: PulseStream?

        /// The stream, once it runs.
        var ready: PulseStream? { stream.flatMap { $0.state == .ready ? $0 : nil } }
        var hasFailed: Bool { stream?.state == .failed }

        fileprivate mutating func close() {
            stream?.close()
            stream = nil
        }
    }

    enum Progress {
        case done, pending
        case failed(DeviceError)
    }

    let connection: PulseConnection
    private(set) var capture: Port?
    private(set) var playback: Port?

    init(_ engine: PulseEngine) throws(DeviceError) {
        connection = try PulseConnection(wake: engine.wake)
        func port(_ name: String?, capture: Bool) -> Port? {
            name.map {
                Port(
                    name: $0,
                    wishes: StreamWishes(engine.request, capture: capture, mostChannels: PulseStream.mostChannels))
            }
        }
        self.capture = port(engine.captureName, capture: true)
        self.playback = port(engine.playbackName, capture: false)
    }

    /// Opens what is not open, and waits until it is.
    /// - Parameter milliseconds: for so long at most.
    mutating func open(milliseconds: Double) throws(DeviceError) {
        let end = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
        if case .failed = connection.state {
            // It broke while nobody used it: that says nothing of now.
            close()
            connection.disconnect()
        }
        if capture?.hasFailed == true { close(capture: true) }
        if playback?.hasFailed == true { close(capture: false) }
        while true {
            switch advance() {
            case .done: return
            case .failed(let error): throw error
            case .pending: break
            }
            let left = end.milliseconds(since: .monotonicNow())
            if left <= 0 { throw .hostMissing(device: shownName, reason: "it does not answer") }
            _ = connection.wait(nanoseconds: Int64(left * 1e6))
        }
    }

    /// One step towards streams that all run. Nothing is waited for. One direction may come though the other fails.
    mutating func advance() -> Progress {
        switch connection.state {
        case .absent:
            connection.connect()
            if case .absent = connection.state {
                return .failed(PulseErrors.noMemory)
            }
            return .pending
        case .connecting: return .pending
        case .failed(let code):
            close()
            connection.disconnect()
            return .failed(PulseErrors.connecting(code, connection.words(code), device: shownName))
        case .ready: break
        }
        let steps = [Self.step(&capture, true, connection), Self.step(&playback, false, connection)]
        var progress = Progress.done
        for step in steps {
            switch step {
            case .done: break
            case .pending: if case .done = progress { progress = .pending }
            case .failed: progress = step
            }
        }
        return progress
    }

    private static func step(_ port: inout Port?, _ isCapture: Bool, _ connection: PulseConnection) -> Progress {
        guard let wanted = port else { return .done }
        if wanted.stream == nil {
            port?.stream = PulseStream(connection, device: wanted.name, capture: isCapture, wanted.wishes)
        }
        switch port?.stream?.state {
        case .ready: return .done
        case .connecting: return .pending
        case .failed, nil:
            let code = connection.code
            port?.close()
            return .failed(PulseErrors.opening(code, connection.words(code), device: "pulse:" + wanted.name))
        }
    }

    /// Why a direction's stream failed.
    func error(capture isCapture: Bool) -> DeviceError {
        let name = "pulse:" + ((isCapture ? capture?.name : playback?.name) ?? "")
        guard case .ready = connection.state else { return .gone(device: name) }
        let code = connection.code
        return PulseErrors.opening(code, connection.words(code), device: name)
    }

    /// Whether a stream is there, running or not.
    var isOpen: Bool { capture?.stream != nil || playback?.stream != nil }

    /// A direction was lost: its stream is ended, and a connection that broke is let go of.
    mutating func dropLost(capture isCapture: Bool) {
        close(capture: isCapture)
        guard !isOpen, case .failed = connection.state else { return }
        connection.disconnect()
    }

    /// An attempt to reopen has failed or taken too long: what hangs is let go of.
    mutating func giveUp() {
        if capture?.ready == nil { close(capture: true) }
        if playback?.ready == nil { close(capture: false) }
        if !isOpen { connection.disconnect() }
    }

    /// Ends one direction's stream.
    mutating func close(capture isCapture: Bool) {
        if isCapture { capture?.close() } else { playback?.close() }
    }

    /// Ends all streams; the connection stays.
    mutating func close() {
        close(capture: true)
        close(capture: false)
        connection.serve()
    }

    private var shownName: String { "pulse:" + (capture?.name ?? playback?.name ?? "") }
}
