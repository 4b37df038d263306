public import AudioUnits

extension DeviceError {
    /// What is wrong, in a few words without a full stop.
    public var reason: String {
        switch self {
        case .busy(let device): "\(device) is in use by another program"
        case .gone(let device): "\(device) went away"
        case .notFound(let device): "there is no device \(device)"
        case .hostMissing(let device, let reason): "the sound system behind \(device) cannot be reached: \(reason)"
        case .permissionDenied(let device): "this user may not open \(device)"
        case .formatUnsupported(let device, let reason): "\(device) does not take the format: \(reason)"
        case .streamBroken(let device, let reason): "\(device) broke: \(reason)"
        case .file(let path, let reason): "\(path): \(reason)"
        case .malformedName(let name, let reason): "`\(name)` is no device name: \(reason)"
        case .noResources(let reason): reason
        }
    }

    /// What to do about it, one plain sentence.
    public var remedy: String {
        switch self {
        case .busy: "End the other program, or use the sound server's device (`default`) that several can share."
        case .gone: "Plug it in or start its sound server again; a call in progress takes it back by itself."
        case .notFound: "Choose one of the names that `yodel devices` lists."
        case .hostMissing:
            "Start the sound server (`pulseaudio --start` or PipeWire), or use `null`, `file:PATH` or `room:office`."
        case .permissionDenied: "Join the group that owns it (`sudo usermod -aG audio $USER`) and log in again."
        case .formatUnsupported: "Choose another sample rate or period, or the device's `plughw:` or `default` name."
        case .streamBroken: "Try again; if it stays so, restart the sound server or plug the device in again."
        case .file: "Give a file that exists, is audio (WAV, FLAC, Ogg …) and may be read or written."
        case .malformedName:
            "Write alsa:NAME, pulse:NAME, file:PATH, pipe:-, room:small, room:office, room:hall, null or default."
        case .noResources: "Close other programs or raise the limits on threads and open files (`ulimit -a`)."
        }
    }
}
