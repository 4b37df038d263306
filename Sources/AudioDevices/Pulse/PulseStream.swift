import AudioUnits
import CPulse

/// One direction's stream on a connection, a handle: whoever connected it closes it.
struct PulseStream: BitwiseCopyable {
    enum State { case connecting, ready, failed }

    let library: UnsafePointer<cpulse_library>
    let stream: OpaquePointer
    private let frameBytes: Int
    private let rate: Int
    private let isCapture: Bool

    /// Channels that the server knows.
    static let mostChannels = 32

    /// Begins to connect; `state` tells what becomes of it.
    /// - Parameters:
    ///   - connection: that is ready.
    ///   - device: the server's name for its sink or source; empty: the default one.
    ///   - capture: which direction.
    ///   - wishes: its shape. The server converts whatever it is to that.
    /// - Returns: nil: it was refused at once; the connection's `code` tells why.
    init?(_ connection: PulseConnection, device: String, capture: Bool, _ wishes: StreamWishes) {
        guard let context = connection.context else { return nil }
        library = connection.library
        frameBytes = wishes.channels * MemoryLayout<Float>.size
        rate = wishes.rate
        isCapture = capture
        var format = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(wishes.rate), channels: UInt8(wishes.channels))
        var map = pa_channel_map()
        guard library.pointee.pa_channel_map_init_extend(&map, UInt32(wishes.channels), PA_CHANNEL_MAP_DEFAULT) != nil,
            let stream = library.pointee.pa_stream_new(context, capture ? "microphone" : "loudspeaker", &format, &map)
        else { return nil }
        self.stream = stream
        let code = cpulse_connect(
            library, stream, device.isEmpty ? nil : device, capture ? 1 : 0, UInt32(wishes.period * frameBytes),
            UInt32(wishes.buffer * frameBytes))
        if code < 0 {
            library.pointee.pa_stream_unref(stream)
            return nil
        }
    }

    /// Ends it; what is queued is not played.
    func close() {
        _ = library.pointee.pa_stream_disconnect(stream)
        library.pointee.pa_stream_unref(stream)
    }

    var state: State {
        let state = cpulse_is_ready(library, stream)
        return state > 0 ? .ready : state == 0 ? .connecting : .failed
    }

    /// The sink or source that it is at.
    var place: UInt32 { @_noLocks get { cpulse_place(library, stream) } }

    /// What the server told last; nil: nothing yet, or it has another clock than this machine.
    private var timing: PulseTiming? {
        @_noLocks get {
            var told = cpulse_timing()
            guard cpulse_told(library, stream, isCapture ? 1 : 0, &told) >= 0 else { return nil }
            // An index beyond any that a stream reaches says nothing; it must not trap.
            guard told.queued.magnitude < 1 << 40 else { return nil }
            let queued = Int64(Double(told.queued) * 1e9 / Double(frameBytes &* rate))
            return PulseTiming(queued: queued, device: told.device &* 1000, answered: told.age &* 1000)
        }
    }

    /// Nanoseconds until what is written next is heard, or since what is read next was at the microphone; negative: so long ago it would
    /// have been heard, or a monitor hears it so long before; nil: not known yet.
    var latency: Int64? {
        @_noLocks get {
            if let timing, let told = isCapture ? timing.age : timing.delay { return told }
            let reckoned = cpulse_latency(library, stream)
            return reckoned < 0 ? nil : reckoned
        }
    }

    /// Frames that the server has to play, as far as it has told; negative: it has played so many more than it had.
    var queued: Int { @_noLocks get { Int(cpulse_queued(library, stream)) / frameBytes } }

    /// Frames that were captured and wait.
    var readable: Int { @_noLocks get { Int(cpulse_readable(library, stream)) / frameBytes } }

    /// Writes frames behind so many frames of silence.
    /// - Returns: whether the stream took them.
    @_noLocks
    func write(_ samples: UnsafePointer<Float>, frames: Int, skipping: Int) -> Bool {
        cpulse_write(library, stream, samples, frames &* frameBytes, Int64(skipping &* frameBytes)) >= 0
    }

    /// The oldest piece that was captured; no samples: they were lost. To be dropped by `drop`.
    @_noLocks
    func peek() -> (samples: UnsafeRawPointer?, frames: Int) {
        var samples: UnsafeRawPointer?
        let bytes = cpulse_peek(library, stream, &samples)
        return (samples, Int(bytes) / frameBytes)
    }

    @_noLocks
    func drop() { cpulse_drop(library, stream) }
}

extension PulseStream {
    /// Throws away what was captured and waits.
    @_noLocks
    func discard() {
        while peek().frames > 0 { drop() }
    }
}
