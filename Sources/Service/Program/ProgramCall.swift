import Realtime
import Softphone

/// A call as its programs see it.
final class ProgramCall: Sendable {
    /// What is told of a program.
    enum News: String {
        case connected = "program_connected"
        case lost = "program_lost"
        /// It did not come back in time, and the call ends.
        case missed = "program_missed"
    }

    private struct Reference: Sendable { weak var live: (any LiveCall)? }

    let id: String
    private let reference: Lock<Reference>
    private let onNews: @Sendable (News, ProgramEnd) -> Void

    /// - Parameters:
    ///   - live: is not kept.
    ///   - onNews: is told what becomes of its programs.
    init(_ id: String, _ live: any LiveCall, onNews: @escaping @Sendable (News, ProgramEnd) -> Void) {
        (self.id, self.onNews) = (id, onNews)
        reference = Lock(Reference(live: live))
    }

    private var live: (any LiveCall)? { reference.withLock { $0.live } }

    func tell(_ news: News, of program: ProgramEnd) { onNews(news, program) }

    /// How long sound takes to the other side's ear.
    var farEnd: FarEnd { FarEnd(live?.statistics(of: 0) ?? .init()) }

    func send(digits: String) { for digit in digits { live?.send(digit: digit) } }

    func hangUp() { live?.hangUp(byDuration: false) }
}
