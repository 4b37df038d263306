import AudioDevices
import AudioFiles
import Realtime
import Reporting
import Softphone

/// What joins a call and the program that is its audio end, for as long as the call lasts: the media may begin anew, and the connection
/// may be lost, without one noticing the other.
package final class ProgramLine: Sendable, Equatable {
    private struct State {
        var call: ProgramCall?
        /// The device has been opened.
        var isOpen = false
        var isOver = false
        var connection: ProgramConnection?
        var session: ProgramSession?
        /// A program that came has its place, from before its connection is made.
        var isTaken = false
        var watch: Task<Void, Never>?
        /// Connections that were made.
        var connections = 0
    }

    let end: ProgramEnd
    let exchange: SoundExchange
    /// What its call hears while the program is away, and others may hear too.
    private let announcement: SharedSamples?
    private let state = Lock(State())

    /// Samples of an announcement at most, s.
    private static let longestAnnouncement = 60
    private static let watchMilliseconds = 250

    init(_ end: ProgramEnd) {
        self.end = end
        var found: SharedSamples?
        if let path = end.policy.announcement {
            do throws(AudioFileError) {
                found = try SharedSamples.whole(path: path, rate: end.sampleRate)
            } catch {
                logger.warning(
                    "calls hear silence while a program is away: \(error.explanation), in softphone.program_announcement")
            }
        }
        announcement = found
        var samples = found?.samples ?? []
        let most = Self.longestAnnouncement * end.sampleRate
        if samples.count > most { samples = Array(samples[..<most]) }
        exchange = SoundExchange(sampleRate: end.sampleRate, announcement: samples, awaySince: .monotonicNow())
    }

    deinit { hangUp() }

    package static func == (left: ProgramLine, right: ProgramLine) -> Bool { left === right }

    /// Whether it is some call's, or was.
    var isInUse: Bool { state.withLock { $0.call != nil || $0.isOver } }

    /// It is this call's. Once.
    func attach(_ call: ProgramCall) {
        state.withLock { $0.call = $0.call ?? call }
        begin()
    }

    /// The device has been opened: there is sound to be heard.
    func open() {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        // It need not be there while the call rings.
        if isFirst { exchange.expect(at: .monotonicNow()) }
        begin()
    }

    private func begin() {
        state.withLock { state in
            guard state.isOpen, !state.isOver, let call = state.call, state.watch == nil else { return }
            if end.policy.patienceSeconds > 0 { state.watch = watch(call) }
            guard let place = end.place, state.connection == nil else { return }
            let connection = ProgramConnection(end, place, onNews: { [weak self] in self?.take($0) }) { [weak self] in
                self?.makeSession($0, masks: true)
            }
            state.connection = connection
            connection.start()
        }
    }

    /// Ends the call when the program stays away for too long.
    private func watch(_ call: ProgramCall) -> Task<Void, Never> {
        let (end, exchange) = (end, exchange)
        return Task {
            while (try? await Task.sleep(for: .milliseconds(Self.watchMilliseconds))) != nil {
                guard let away = exchange.awaySince,
                    HostTime.monotonicNow().milliseconds(since: away) >= 1000 * Double(end.policy.patienceSeconds)
                else { continue }
                logger.error("a call ends: its program, \(end.name), was away for \(end.policy.patienceSeconds) s")
                call.tell(.missed, of: end)
                return call.hangUp()
            }
        }
    }

    /// - Returns: `nil`: the call is over.
    private func makeSession(_ dialect: ProgramDialect, masks: Bool) -> ProgramSession? {
        state.withLock { state in
            guard !state.isOver, let call = state.call else { return nil }
            state.connections += 1
            let topic = ProgramTopic(
                call: call.id, stream: "\(call.id)-\(state.connections)", format: end.format, track: .inbound)
            let session = ProgramSession(
                TalkingPort(exchange: exchange), dialect.speaker(topic), masks: masks, farEnd: { call.farEnd },
                sendDigits: { call.send(digits: $0) })
            state.session = session
            return session
        }
    }

    private func take(_ news: ProgramCall.News) {
        switch news {
        case .connected: exchange.arrive()
        case .lost, .missed: exchange.leave(at: .monotonicNow())
        }
        state.withLock { $0.call }?.tell(news, of: end)
    }

    // MARK: A program that comes

    /// Whether a program may come now.
    var isFree: Bool { state.withLock { !$0.isTaken && !$0.isOver } }

    /// Talks with a program that has come, until a side ends it.
    /// - Returns: `false`: another one is here already, or the call is over.
    func serve(_ socket: ProgramSession.Socket, _ dialect: ProgramDialect) async throws -> Bool {
        let isFirst = state.withLock { state in
            guard !state.isTaken, !state.isOver else { return false }
            state.isTaken = true
            return true
        }
        guard isFirst, let session = makeSession(dialect, masks: false) else { return false }
        take(.connected)
        defer {
            take(.lost)
            state.withLock { $0.isTaken = false }
        }
        try await session.run(socket)
        return true
    }

    // MARK: The call goes on

    /// A key of the other side's.
    func hear(digit: Character) { state.withLock { $0.session }?.hear(digit: digit) }

    /// The call is over.
    func hangUp() {
        let (session, connection, watch) = state.withLock { state in
            state.isOver = true
            defer { (state.call, state.session, state.connection, state.watch) = (nil, nil, nil, nil) }
            return (state.session, state.connection, state.watch)
        }
        watch?.cancel()
        connection?.end()
        session?.end()
        exchange.leave(at: .monotonicNow())
    }

    /// The device is closed; a line that no call has ever had ends with it.
    func close() { if state.withLock({ $0.call == nil }) { hangUp() } }

    /// What it costs, and what it has lost, for the call's figures.
    var json: JSONValue {
        let losses = exchange.losses
        let delay = exchange.delay(periodMilliseconds: ProgramDevice.periodMilliseconds)
        let (connections, call) = state.withLock { ($0.connections, $0.call) }
        let farEnd = call?.farEnd
        func milliseconds(_ samples: Int) -> JSONValue { .integer(samples * 1000 / exchange.sampleRate) }
        return [
            JSONMember("connected", .boolean(exchange.awaySince == nil)), JSONMember("connections", .integer(connections)),
            JSONMember("said_delay_ms", delay.said.map { .number($0, decimals: 2) } ?? .null),
            JSONMember("heard_delay_ms", .number(delay.heard, decimals: 2)),
            JSONMember("ahead_ms", .number(1000 * exchange.aheadSeconds, decimals: 0)),
            JSONMember("flooded_ms", milliseconds(losses.flooded)), JSONMember("unheard_ms", milliseconds(losses.unheard)),
            JSONMember("late_ms", milliseconds(losses.late)),
            JSONMember("far_end_ms", farEnd.map { .number($0.milliseconds, decimals: 1) } ?? .null),
            JSONMember("far_end", farEnd.map { .string($0.isMeasured ? "measured" : "estimated") } ?? .null),
        ].object
    }
}
