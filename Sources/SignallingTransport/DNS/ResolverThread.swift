import Dispatch
import Realtime

/// Runs c-ares while there is something to ask, and nothing otherwise: each burst of questions has a channel of its
/// own, so that a changed resolv.conf is read.
final class ResolverThread: Sendable {
    struct Question: Sendable {
        let question: DNSQuestion
        let answer: @Sendable (DNSAnswer) -> Void
    }

    private struct State: Sendable {
        var queue: [Question] = []
        /// Wakes the burst that runs.
        var bell: EventSignal?
        var isRunning = false
        var isStopped = false
    }

    private let settings: CaresChannel.Settings
    private let state = Lock(State())

    init(_ settings: CaresChannel.Settings) { self.settings = settings }

    func ask(_ question: DNSQuestion, _ answer: @escaping @Sendable (DNSAnswer) -> Void) {
        let starts = state.withLock { state -> Bool in
            state.queue.append(Question(question: question, answer: answer))
            state.bell?.signal()
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { DispatchQueue.global().async { self.runBurst() } }
    }

    /// What runs ends soon, its questions unanswered by anybody but us.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.bell?.signal()
        }
    }

    private func runBurst() {
        let channel: CaresChannel
        let bell: EventSignal
        do throws(CaresError) {
            channel = try CaresChannel(settings)
            do { bell = try EventSignal() } catch { throw CaresError(words: "\(error)") }
        } catch {
            for question in takeQueue(ends: true) { question.answer(.failed(.noServer(error.words))) }
            return
        }
        defer { bell.close() }
        state.withLock { $0.bell = bell }
        while true {
            for question in takeQueue(ends: false) { channel.ask(question.question, question.answer) }
            if channel.waiting == 0 && endsBurst() { return }
            if state.withLock({ $0.isStopped }) { channel.cancel() }
            channel.wait(orUntil: bell.fileDescriptor)
            bell.drain()
        }
    }

    private func takeQueue(ends: Bool) -> [Question] {
        state.withLock { state in
            defer { state.queue = [] }
            if ends { state.isRunning = false }
            return state.queue
        }
    }

    /// Whether nothing has been asked meanwhile. After that another burst may begin.
    private func endsBurst() -> Bool {
        state.withLock { state in
            guard state.queue.isEmpty else { return false }
            state.isRunning = false
            state.bell = nil
            return true
        }
    }
}
