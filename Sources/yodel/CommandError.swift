import AudioFiles
import Control
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
    /// What a library says of a request; `nil` for an error that no library throws.
    init?(any error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as SoftphoneError: self.init(error)
        case let error as SettingsError: self.init(error)
        case let error as AssertionError: self.init(error)
        case let error as AudioFileError: self.init(SoftphoneError.audioFile(error))
        case let error as ControlError: self.init(ExitStatus(rawValue: error.exitCode) ?? .internalError, error.description)
        default: return nil
        }
    }

    init(_ error: SoftphoneError) { self.init(ExitStatus(error), error.description) }
    init(_ error: SettingsError) { self.init(.usage, error.description) }
    init(_ error: AssertionError) { self.init(.usage, error.description) }
    init(_ error: NetworkConditionsError) { self.init(.usage, "\(error), in --network") }
    init(_ error: MachineConditionsError) { self.init(.usage, "\(error), in --machine") }
}
