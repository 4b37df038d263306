import Media
import Realtime
import Softphone

/// The programs at a call: the one that is its audio end, if it is one, and those that listen beside it.
final class CallPrograms: Sendable {
    private struct Listener {
        let end: ProgramEnd
        var connection: ProgramConnection?
        var session: ProgramSession?
    }

    private struct State {
        var line: ProgramLine?
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
        /// The one that was asked for by request.
        var asked: Int?
        var isOver = false
    }

    /// Who may listen at once.
    static let most = 4

    private let call: ProgramCall
    private let live: @Sendable () -> (any LiveCall)?
    private let tap = CallTap()
    private let state = Lock(State())
    /// Taken by whoever puts the tap on or takes it off, and looks just then at who listens.
    private let listening = Lock(())

    init(_ call: ProgramCall, live: @escaping @Sendable () -> (any LiveCall)?) { (self.call, self.live) = (call, live) }

    /// The audio end is that program's from now on, or none's.
    func use(_ line: ProgramLine?) {
        let former = state.withLock { state -> ProgramLine? in
            defer { state.line = line }
            return state.line
        }
        guard former != line else { return }
        former?.hangUp()
        line?.attach(call)
    }

    /// A key of the other side's.
    func hear(digit: Character) {
        let (line, listeners) = state.withLock { ($0.line, $0.listeners.values) }
        line?.hear(digit: digit)
        for listener in listeners {
            listener.connection?.hear(digit: digit)
            listener.session?.hear(digit: digit)
        }
    }

    /// The call is over.
    func end() {
        let (line, listeners) = state.withLock { state in
            state.isOver = true
            defer { (state.line, state.listeners) = (nil, [:]) }
            return (state.line, state.listeners.values)
        }
        line?.hangUp()
        for listener in listeners {
            listener.connection?.end()
            listener.session?.end()
        }
    }

    // MARK: Listening

    /// That a program leaves when the call is over is no news.
    private func tell(_ news: ProgramCall.News, of end: ProgramEnd) {
        if !state.withLock({ $0.isOver }) { call.tell(news, of: end) }
    }

    private func enter(_ end: ProgramEnd, isAsked: Bool) throws(Problem) -> Int {
        let number = try state.withLock { state throws(Problem) in
            guard !state.isOver else { throw .conflict("the call is over") }
            guard !isAsked || state.asked == nil else {
                throw .conflict("a program is listening already; DELETE ends that")
            }
            guard state.listeners.count < Self.most else {
                throw Problem(
                    503, "too many programs listen to the call", "\(Self.most) at once may; end one", retryAfterSeconds: 5)
            }
            state.lastNumber += 1
            state.listeners[state.lastNumber] = Listener(end: end)
            if isAsked { state.asked = state.lastNumber }
            return state.lastNumber
        }
        do throws(SoftphoneError) {
            try listening.withLock { _ throws(SoftphoneError) in
                guard let live = live() else { throw .request("the call is over") }
                try live.listen(at: tap)
            }
        } catch {
            leave(number)
            throw .conflict(error.description)
        }
        return number
    }

    private func leave(_ number: Int) {
        state.withLock { state in
            state.listeners[number] = nil
            if state.asked == number { state.asked = nil }
        }
        listening.withLock { _ in
            if state.withLock({ $0.listeners.isEmpty && !$0.isOver }) { try? live()?.listen(at: nil) }
        }
    }

    private func makeSession(_ number: Int, _ end: ProgramEnd, _ dialect: ProgramDialect, masks: Bool) -> ProgramSession? {
        let call = call
        let track = end.track ?? .mixed
        let topic = ProgramTopic(
            call: call.id, stream: "\(call.id)-l\(number)", format: end.format, track: track)
        let session = ProgramSession(
            ListeningPort(tap, end.format, track), dialect.speaker(topic), masks: masks, farEnd: { call.farEnd },
            sendDigits: { _ in })
        return state.withLock { state in
            guard state.listeners[number] != nil else { return nil }
            state.listeners[number]?.session = session
            return session
        }
    }

    /// Connects to a program that listens from now on.
    func listen(_ end: ProgramEnd, at place: ProgramPlace) throws(Problem) {
        let number = try enter(end, isAsked: true)
        let connection = ProgramConnection(
            end, place, onNews: { [weak self] in self?.tell($0, of: end) },
            makeSession: { [weak self] in self?.makeSession(number, end, $0, masks: true) })
        let isHere = state.withLock { state in
            guard state.listeners[number] != nil else { return false }
            state.listeners[number]?.connection = connection
            return true
        }
        if isHere { connection.start() }
    }

    /// The program that was asked to listen does so no more.
    /// - Returns: which one; `nil`: none was.
    func endListening() -> ProgramEnd? {
        let (number, listener) = state.withLock { ($0.asked, $0.asked.flatMap { [listeners = $0.listeners] in listeners[$0] }) }
        guard let number, let listener else { return nil }
        leave(number)
        listener.connection?.end()
        return listener.end
    }

    /// The one that was asked to listen; `nil`: none.
    var asked: ProgramEnd? { state.withLock { state in state.asked.flatMap { state.listeners[$0]?.end } } }

    /// Serves a program that has come to listen, until a side ends it.
    /// - Returns: false: it could not be served any more, and nothing was said to it.
    func serve(_ end: ProgramEnd, _ socket: ProgramSession.Socket, _ dialect: ProgramDialect) async throws -> Bool {
        // A call whose device does not open keeps waiting whoever comes to it, or leaves.
        guard let number = await RequestThread.run({ try? self.enter(end, isAsked: false) }) else { return false }
        let served: Result<Bool, any Error>
        do { served = .success(try await serve(number, end, socket, dialect)) } catch { served = .failure(error) }
        await RequestThread.run { self.leave(number) }
        return try served.get()
    }

    private func serve(
        _ number: Int, _ end: ProgramEnd, _ socket: ProgramSession.Socket, _ dialect: ProgramDialect
    ) async throws -> Bool {
        guard let session = makeSession(number, end, dialect, masks: false) else { return false }
        tell(.connected, of: end)
        defer { tell(.lost, of: end) }
        try await session.run(socket)
        return true
    }

    /// Whether another one may listen.
    var hasRoom: Bool { state.withLock { !$0.isOver && $0.listeners.count < Self.most } }
}
