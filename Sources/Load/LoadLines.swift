import LiveMedia
import Realtime
import Signalling

/// Knows the calls of a load by their signalling, and hands what is told of each to whoever makes it. Sans-I/O.
///
/// ```
/// runner -- open --> LoadLines -- INVITE --> signalling
/// runner <- LoadSignal -- LoadLines <- CallSignallingEvent -- signalling
/// ```
package final class LoadLines: Sendable {
    private struct Line {
        let number: Int
        let runner: Mailbox<LoadSignal>
        /// When its INVITE was sent; nil: not yet.
        var invitedAt: HostTime?
        var isAnswered = false
        /// As it was agreed on last.
        var path: LoadPath?
    }

    private let lines = Lock<[SignalledCallID: Line]>([:])

    package init() {}

    /// Calls that are not over.
    package var count: Int { lines.withLock { $0.count } }

    /// Begins the call `number`, of which `runner` is told all.
    package func open(
        _ number: Int, telling runner: Mailbox<LoadSignal>, _ begin: () -> SignalledCallID
    ) -> SignalledCallID {
        // What is told at once waits until the line is there.
        lines.withLock { lines in
            let id = begin()
            lines[id] = Line(number: number, runner: runner)
            return id
        }
    }

    /// Takes what signalling tells. Never waits.
    package func take(_ event: CallSignallingEvent, at now: HostTime) {
        switch event {
        case .dialog(let id, _):
            // One that is sent again, with a password, is another one to the server, but no other call.
            change(id) { line in
                line.invitedAt = line.invitedAt ?? now
                return nil
            }
        case .negotiated(let id, let media):
            change(id) { line in
                let path = media.agreement.flatMap { LoadPath($0) }
                guard path != line.path else { return nil }
                line.path = path
                return line.isAnswered ? .moved(line.number, path) : nil
            }
        case .answered(let id, _, let time):
            change(id) { line in
                line.isAnswered = true
                return .answered(line.number, line.path, milliseconds: line.invitedAt.map { time.milliseconds(since: $0) })
            }
        case .ended(let id, let ending):
            guard let line = lines.withLock({ $0.removeValue(forKey: id) }) else { return }
            line.runner.post(.ended(line.number, LoadEnding(ending), at: now))
        default: break
        }
    }

    private func change(_ id: SignalledCallID, _ action: (inout Line) -> LoadSignal?) {
        let told = lines.withLock { lines -> (Mailbox<LoadSignal>, LoadSignal)? in
            guard var line = lines[id] else { return nil }
            let signal = action(&line)
            lines[id] = line
            return signal.map { (line.runner, $0) }
        }
        if let (runner, signal) = told { runner.post(signal) }
    }
}
