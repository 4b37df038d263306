import WebClient

/// Why a request was not carried out: what, and what to do. Each kind has an exit code.
package enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The command line, or what it asks for, makes no sense.
    case usage(String)
    /// The service has it, but not now.
    case refused(String)
    /// The token is missing, wrong, or not enough; or the service's certificate counts for nothing.
    case authentication(String)
    /// Nobody is there, or no answer came.
    case network(String)
    /// The service has a defect.
    case failed(String)

    /// Of an answer's status.
    package init(status: Int, _ text: String) {
        self =
            switch status {
            case 401, 403: .authentication(text)
            case 409, 429, 503: .refused(text)
            case 400..<500: .usage(text)
            default: .failed(text)
            }
    }

    /// Of a request without an answer.
    package init(_ failure: WebClient.Failure, of place: WebAddress) {
        self =
            switch failure.distrust {
            case .authority:
                .authentication(
                    "\(place.text) is there, but \(failure); name the authority's file with --ca, or renew the certificate")
            case .name:
                .authentication("\(place.text) is there, but \(failure); name it with --url as its certificate does")
            case .file: .usage("\(failure); name a file in PEM form with --ca")
            case nil:
                .network("\(place.text) does not answer (\(failure)); start `yodel softphone`, or name it with --url")
            }
    }

    /// As the program's other commands have them.
    package var exitCode: Int32 {
        switch self {
        case .failed: 1
        case .usage: 2
        case .refused: 4
        case .authentication: 7
        case .network: 8
        }
    }

    package var description: String {
        switch self {
        case .usage(let text), .refused(let text), .authentication(let text), .network(let text), .failed(let text): text
        }
    }
}
