import AudioFiles
import AudioUnits
import Codecs
import LiveMedia
import PacketCapture
import Reporting
import Settings
import Simulation
import Softphone

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
    init(_ error: SoftphoneError) { self.init(ExitStatus(error), error.description) }
    init(_ error: SettingsError) { self.init(.usage, error.description) }
    init(_ error: AssertionError) { self.init(.usage, error.description) }
    init(_ error: NetworkConditionsError) { self.init(.usage, "\(error), in --network") }
    init(_ error: CaptureError) { self.init(.usage, error.description) }
    init(_ error: CodecError) { self.init(SoftphoneError.codec(error)) }
    init(_ error: AudioFileError) { self.init(SoftphoneError.audioFile(error)) }
    init(_ error: DeviceError) { self.init(SoftphoneError.device(error)) }
    init(_ error: CallError) { self.init(SoftphoneError(error)) }
    init(_ error: AudioUnitError) { self.init(SoftphoneError(error)) }
}
