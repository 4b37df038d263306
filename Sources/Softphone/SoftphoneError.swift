import AudioFiles
import AudioUnits
import Codecs
import LiveMedia
import Network

/// Why what was asked for cannot be done. Each case says what, where, and what to do.
public enum SoftphoneError: Error, Sendable, CustomStringConvertible {
    /// The request contradicts itself, or a value of it is outside what is possible.
    case request(String)
    /// What is asked for cannot be now, as the call stands.
    case state(String)
    /// The codec is unknown, is not there, or does not take its settings.
    case codec(CodecError)
    /// The device does not open, or not as it was asked to.
    case device(DeviceError)
    /// The device has no such format.
    case format(rate: Int, reason: String)
    /// A setting of a unit is out of its range.
    case setting(String, allowed: String)
    /// An audio file cannot be read or written.
    case audioFile(AudioFileError)
    /// A recording, capture or dump cannot be written.
    case recording(path: String, reason: String)
    /// The network, or a name or address in it.
    case network(NetworkError)
    /// The media cannot be encrypted.
    case encryption(String)
    /// The sockets of signalling cannot be opened.
    case signalling(String)
    /// The system has no memory, threads or descriptors left.
    case resources(String)
    /// A defect of the program.
    case defect(String)

    /// What, where; what to do.
    public var description: String {
        switch self {
        case .request(let text), .state(let text): text
        case .codec(let error):
            switch error {
            case .unknownCodec, .unavailable: error.description
            default: "\(error); see `yodel help call` for the codec's options"
            }
        case .device(let error): error.explanation
        case .format(let rate, let reason): "\(reason), at \(rate) Hz; choose another --rate"
        case .setting(let setting, let allowed): "\(setting) is out of its range; give \(allowed)"
        case .audioFile(let error): error.explanation
        case .recording(let path, let reason): "\(reason), \(path); name a place that can be written and has room"
        case .network(let error): error.description
        case .signalling(let what): "\(what); choose another address or port, or end the program that has it"
        case .encryption(let what): "the media cannot be encrypted: \(what)"
        case .resources(let what): "\(what); end other programs or raise the limits (ulimit)"
        case .defect(let what): "\(what); please report this"
        }
    }
}

extension SoftphoneError {
    package init(_ error: CallError) {
        switch error {
        case .device(let error): self = .device(error)
        case .codec(let error): self = .codec(error)
        case .network(let error): self = .network(error)
        case .conference(let error): self = .request(error.description)
        case .audioUnit(let error): self.init(error)
        case .recording(let path, let reason): self = .recording(path: path, reason: reason)
        case .state(let text): self = .state(text)
        case .encryption(let what): self = .encryption(what)
        case .resources(let what): self = .resources(what)
        }
    }

    package init(_ error: AudioUnitError) {
        switch error {
        case .device(let error): self = .device(error)
        case .file(let error): self = .audioFile(error)
        case .noResources(let reason): self = .resources(reason)
        case .formatUnsupported(let format, let reason): self = .format(rate: Int(format.sampleRate), reason: reason)
        case .outOfRange(let setting, let allowed): self = .setting("\(setting)", allowed: "\(allowed)")
        default: self = .defect("audio unit: \(error)")
        }
    }
}

extension AudioFileError {
    /// What, where; what to do.
    package var explanation: String { "\(reason), \(path); name an audio file that can be read or written" }
}

extension DeviceError {
    /// What, where; what to do.
    package var explanation: String {
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
