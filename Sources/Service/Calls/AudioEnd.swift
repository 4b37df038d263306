import Reporting
import Softphone

/// Who talks and listens at our side of a call.
package enum AudioEnd: Sendable, Equatable {
    /// A device by its name.
    case device(String)
    /// What is heard is sent back.
    case echo
    /// Nobody: silence is sent, and what is heard goes nowhere.
    case silence
    /// A file is played, again and again or once and then silence; what is heard goes nowhere.
    case play(name: String, path: String, loops: Bool)
    /// What is heard goes into a file, and silence is sent. The path is chosen when there is a call.
    case record(path: String)
    /// A person at a browser, whose own call has this id.
    case handset(String)
    /// A program at a WebSocket, by the line that this call has to it.
    case program(ProgramLine)
    /// The other side of another call, by its id.
    case call(String)
    /// Everybody in a conference, by its id.
    case conference(String)
    /// A machine that says something, and may take a message.
    case attendant(Attendant)

    /// Whether what is heard there may go into a recording of the service's.
    var records: Bool {
        switch self {
        case .record: true
        case .attendant(let attendant): attendant.takesMessage
        default: false
        }
    }

    /// As a key of the configuration names it.
    /// - Throws: a device's name that means nothing.
    package init(configured name: String) throws(SoftphoneError) {
        if name == "echo" {
            self = .echo
        } else {
            _ = try DeviceChoice.device(name)
            self = .device(name)
        }
    }

    package var json: JSONValue {
        func one(_ name: String, _ value: JSONValue) -> JSONValue { .object([JSONMember(name, value)]) }
        switch self {
        case .device(let name): return one("device", .string(name))
        case .echo: return one("echo", .boolean(true))
        case .silence: return one("silence", .boolean(true))
        case .play(let name, _, let loops):
            return .object([JSONMember("play", .string(name)), JSONMember("loop", .boolean(loops))])
        case .record: return one("record", .boolean(true))
        case .handset(let id): return one("handset", .string(id))
        case .call(let id): return one("call", .string(id))
        case .conference(let id): return one("conference", .string(id))
        case .attendant(let attendant): return one("attendant", .string(attendant.takesMessage ? "message" : "announcement"))
        case .program(let line): return line.end.json
        }
    }

    /// Whether its call hears other calls.
    var isShared: Bool {
        switch self {
        case .handset, .call, .conference: true
        default: false
        }
    }

    /// The call whose end is the end of this one; `nil`: none is.
    var partner: String? {
        switch self {
        case .handset(let id), .call(let id): id
        default: nil
        }
    }

    /// The line to a program; `nil`: it is no program.
    package var line: ProgramLine? { if case .program(let line) = self { line } else { nil } }

    /// What a call has for itself of it: a line to a program belongs to one call.
    package var forOneCall: AudioEnd { if let line, line.isInUse { .program(ProgramLine(line.end)) } else { self } }
}
