import AudioFiles
import AudioUnits
import Codecs
import Link
import LiveMedia
import Network
import PacketCapture
import Reporting
import Settings
import Simulation

/// What stops a command: printed as one line `yodel: what, where; what to do`.
struct CommandError: Error {
    var status: ExitStatus
    /// What, where; what to do.
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

extension CommandError {
    init(_ error: SettingsError) { self.init(.usage, error.description) }
    init(_ error: AssertionError) { self.init(.usage, error.description) }
    init(_ error: NetworkConditionsError) { self.init(.usage, "\(error), in --network") }
    init(_ error: CaptureError) { self.init(.usage, error.description) }
    init(_ error: NetworkError) { self.init(.network, error.description) }
    init(_ error: CodecError) {
        switch error {
        case .unknownCodec, .unavailable: self.init(.usage, error.description)
        default: self.init(.usage, "\(error); see `yodel help call` for the codec's options")
        }
    }
    init(_ error: AudioFileError) { self.init(.usage, error.explanation) }
    init(_ error: DeviceError) { self.init(.device, error.explanation) }

    init(_ error: CallError) {
        switch error {
        case .device(let error): self.init(error)
        case .codec(let error): self.init(error)
        case .network(let error): self.init(error)
        case .audioUnit(let error): self.init(error)
        case .recording(let path, let reason):
            self.init(.usage, "\(reason), \(path); name a place that can be written and has room")
        case .resources(let what): self.init(.internalError, "\(what); end other programs or raise the limits (ulimit)")
        }
    }

    init(_ error: AudioUnitError) {
        switch error {
        case .device(let error): self.init(error)
        case .file(let error): self.init(error)
        case .noResources(let reason): self.init(.internalError, "\(reason); end other programs or raise the limits")
        case .formatUnsupported(let format, let reason):
            self.init(.device, "\(reason), at \(Int(format.sampleRate)) Hz; choose another --rate")
        case .outOfRange(let setting, let allowed):
            self.init(.usage, "\(setting) is out of its range; give \(allowed)")
        default: self.init(.internalError, "audio unit: \(error); please report this")
        }
    }
}

extension AudioFileError {
    /// What, where; what to do.
    var explanation: String { "\(reason), \(path); name an audio file that can be read or written" }
}

extension DeviceError {
    /// What, where; what to do.
    var explanation: String {
        switch self {
        case .busy(let device): "device \(device) is busy; end the program that holds it, or use the sound server's"
        case .gone(let device): "device \(device) is gone; plug it in or start its server again"
        case .notFound(let device): "no device \(device); `yodel devices` lists what there is"
        case .hostMissing(let device, let reason):
            "\(reason), device \(device); start the sound server, or use --device null or file:PATH"
        case .permissionDenied(let device): "no permission for device \(device); join its group (usually audio)"
        case .formatUnsupported(let device, let reason):
            "\(reason), device \(device); choose another --rate or --period"
        case .streamBroken(let device, let reason): "\(reason), device \(device); start again"
        case .file(let path, let reason): AudioFileError(path: path, reason: reason).explanation
        case .malformedName(let name, let reason): "\(reason), in device '\(name)'; `yodel devices` lists what there is"
        case .noResources(let reason): "\(reason); end other programs or raise the limits (ulimit)"
        }
    }
}
