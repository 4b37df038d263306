import AudioDevices
import AudioUnits

/// The kinds of device that lead to a sound server.
enum ServerDevice: CaseIterable, Sendable {
    /// By ALSA's plug-in for it.
    case alsa
    /// By its own interface.
    case pulse

    /// One of the server's source and sink.
    func device(capture: String, playback: String) -> any HardwareDevice {
        switch self {
        case .alsa: ALSADevice(capture: "pulse:" + capture, playback: "pulse:" + playback)
        case .pulse: PulseDevice(capture: capture, playback: playback)
        }
    }
}
