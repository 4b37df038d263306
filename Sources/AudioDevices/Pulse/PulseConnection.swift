import AudioUnits
import CPulse
import Glibc
import Realtime

/// A connection to the sound server, and the loop that serves it. One thread's own: libpulse starts none of its own, and nothing here
/// waits for the server.
final class PulseConnection {
    enum State {
        case absent, connecting, ready
        /// `PA_ERR_...`
        case failed(Int)
    }

    let library: UnsafePointer<cpulse_library>
    private let mainloop: OpaquePointer
    private(set) var context: OpaquePointer?

    /// Rounds of the loop that are made at once at most.
    private static let mostRounds = 200

    /// libpulse, loaded at the first use. It stays.
    static func loadLibrary() throws(DeviceError) -> UnsafePointer<cpulse_library> {
        if let missing { throw .hostMissing(device: "pulse:", reason: missing) }
        return UnsafePointer(loaded)
    }

    nonisolated(unsafe) private static let loaded = UnsafeMutablePointer<cpulse_library>.allocate(capacity: 1)
    private static let missing: String? = {
        loaded.initialize(to: cpulse_library())
        return cpulse_load(loaded).map { String(cString: $0) }
    }()

    /// Connects to nothing yet.
    /// - Parameter wake: ends a wait, too.
    init(wake: EventSignal?) throws(DeviceError) {
        library = try Self.loadLibrary()
        guard let mainloop = library.pointee.pa_mainloop_new() else {
            throw PulseErrors.noMemory
        }
        self.mainloop = mainloop
        if let wake, cpulse_listen(library, mainloop, wake.fileDescriptor) < 0 {
            library.pointee.pa_mainloop_free(mainloop)
            throw PulseErrors.noMemory
        }
    }

    deinit {
        disconnect()
        library.pointee.pa_mainloop_free(mainloop)
    }

    /// Begins to connect to the user's own server; `state` tells what becomes of it.
    func connect() {
        disconnect()
        guard
            let context = library.pointee.pa_context_new_with_proplist(
                library.pointee.pa_mainloop_get_api(mainloop), "yodel", nil)
        else { return }
        self.context = context
        // Where that fails at once the state says so.
        _ = library.pointee.pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil)
    }

    /// Streams of it are gone with it.
    func disconnect() {
        guard let context else { return }
        library.pointee.pa_context_disconnect(context)
        library.pointee.pa_context_unref(context)
        self.context = nil
    }

    var state: State {
        guard let context else { return .absent }
        switch library.pointee.pa_context_get_state(context) {
        case PA_CONTEXT_READY: return .ready
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: return .failed(code)
        default: return .connecting
        }
    }

    /// What went wrong last, `PA_ERR_...`.
    var code: Int { context.map { Int(library.pointee.pa_context_errno($0)) } ?? Int(PA_ERR_CONNECTIONTERMINATED.rawValue) }

    /// A code in the server's own words.
    func words(_ code: Int) -> String {
        library.pointee.pa_strerror(Int32(truncatingIfNeeded: code)).map { String(cString: $0) } ?? "error \(code)"
    }

    /// Waits until something comes, `nanoseconds` at most.
    /// - Returns: whether something came.
    func wait(nanoseconds: Int64) -> Bool {
        let microseconds = min(max(nanoseconds / 1000, 0), 60_000_000)
        return cpulse_iterate(library, mainloop, Int32(microseconds)) > 0
    }

    /// Takes everything that is there, and sends what waits.
    func serve() {
        var rounds = 0
        while rounds < Self.mostRounds, cpulse_iterate(library, mainloop, 0) > 0 { rounds += 1 }
    }
}
