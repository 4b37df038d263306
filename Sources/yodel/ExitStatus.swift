import Diagnosis
import Glibc
import Load
import Media
import Softphone
import Terminal

/// How the program ends; scripts depend on the numbers.
enum ExitStatus: Int32, Error {
    case fine = 0
    case internalError = 1
    /// The command line, the configuration, or a file that it names.
    case usage = 2
    case noAnswer = 3
    case refused = 4
    /// A threshold of `--assert` was missed, or its value not measured; a replay differs; not one call keeps an objective.
    case assertionMissed = 5
    case device = 6
    case authentication = 7
    case network = 8
    /// SIGINT before media started.
    case interrupted = 130
    /// SIGTERM before media started.
    case terminated = 143

    /// How a call that ended for `reason` ends the program.
    init(callEnded reason: Media.EndReason) {
        self =
            switch reason {
            case .mediaTimeout, .network: .network
            case .noAnswer: .noAnswer
            case .busy, .refused: .refused
            case .authentication: .authentication
            case .localHangup, .remoteHangup, .duration, .echoLoop, .cancelled, .replaced, .transferred: .fine
            }
    }

    /// How a check of an account ends the program.
    init(_ outcome: AccountCheck.Outcome) {
        self =
            switch outcome {
            case .registered: .fine
            case .authentication: .authentication
            case .refused: .refused
            case .network: .network
            }
    }

    /// How trouble that was found ends the program.
    init(_ area: Finding.Area) {
        self =
            switch area {
            case .device: .device
            case .machine, .configuration: .usage
            case .network: .network
            case .authentication: .authentication
            }
    }

    /// How a request that could not be carried out ends the program.
    init(_ error: SoftphoneError) {
        self =
            switch error {
            case .request, .state, .codec, .setting, .audioFile, .recording, .encryption: .usage
            case .device, .format: .device
            case .network, .signalling: .network
            case .resources, .defect: .internalError
            }
    }
}

extension ExitStatus {
    /// Ends the process.
    static func end(_ status: ExitStatus) -> Never {
        let isWhole = Output.finish()
        exit((status == .fine && !isWhole ? ExitStatus.usage : status).rawValue)
    }

    /// Ends a command of many calls by what became of them.
    static func leave(_ outcome: LoadOutcome) throws {
        switch outcome {
        case .fine: return
        case .assertionMissed: throw assertionMissed
        case .noAnswer: throw noAnswer
        case .signal(let number): throw ExitStatus(signal: number)
        }
    }

    /// How a signal that came before there was media ends the program.
    init(signal number: Int32) { self = number == SIGINT ? .interrupted : .terminated }
}
