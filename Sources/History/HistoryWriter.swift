internal import Glibc
internal import Realtime
internal import Reporting

/// The queue of what is to be written, and the thread that does it.
final class HistoryWriter: Sendable {
    struct State {
        /// Newest state of each call and text that waits, by its id.
        var waiting: [String: HistoryRow] = [:]
        /// Their ids, oldest first.
        var order: [String] = []
        var lost: UInt64 = 0
        var written: UInt64 = 0
        var isStopping = false
        var trouble: HistoryError?
        var reader: HistoryReader?
        /// Settings that wait to be kept; `nil`: to be forgotten.
        var settings: [String: String?] = [:]
        /// Settings as they were when the database was opened; `nil`: it was not yet.
        var kept: [String: String]?
        /// All settings as they are now, for a database that is made anew; `nil`: forgotten.
        var known: [String: String?] = [:]
    }

    /// Rows of one transaction at most.
    private static let batch = 256
    /// How often it is looked for what is too old.
    private static let forgetMilliseconds = 60_000.0

    let state = Lock(State())
    private let path: String
    private let retention: HistoryRetention
    private let capacity: Int
    private let retryMilliseconds: Double
    private let onTrouble: @Sendable (HistoryError?) -> Void
    private let bell: EventSignal

    init(
        path: String, retention: HistoryRetention, capacity: Int, retryMilliseconds: Double,
        onTrouble: @escaping @Sendable (HistoryError?) -> Void
    ) throws(RealtimeError) {
        (self.path, self.retention, self.capacity) = (path, retention, max(1, capacity))
        (self.retryMilliseconds, self.onTrouble) = (retryMilliseconds, onTrouble)
        bell = try EventSignal()
    }

    deinit { bell.close() }

    // MARK: From any thread

    func note(_ row: HistoryRow) {
        state.withLock { state in
            if state.waiting.updateValue(row, forKey: row.id) == nil { state.order.append(row.id) }
            while state.order.count > capacity {
                state.waiting[state.order.removeFirst()] = nil
                state.lost += 1
            }
        }
        bell.signal()
    }

    func keep(_ value: String?, as name: String) {
        state.withLock { state in
            state.settings.updateValue(value, forKey: name)
            state.known.updateValue(value, forKey: name)
        }
        bell.signal()
    }

    func reader() throws(HistoryError) -> HistoryReader {
        let (reader, trouble) = state.withLock { ($0.reader, $0.trouble) }
        guard let reader else { throw trouble ?? .opening(path: path) }
        return reader
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        bell.signal()
    }

    // MARK: On its own thread

    /// Writes until `stop`.
    func run() {
        var store: HistoryStore?
        var nextTry = HostTime.monotonicNow()
        var nextForget = nextTry
        var isWell = true
        while true {
            bell.drain()
            // Read before the queue is: what was noted before the end is written.
            let isStopping = state.withLock { $0.isStopping }
            if isStopping || HostTime.monotonicNow() >= nextTry {
                isWell = attempt(&store, &nextForget)
                nextTry = isWell ? HostTime.monotonicNow() : .monotonicNow().advanced(byMilliseconds: retryMilliseconds)
                if isStopping { break }
            }
            // Nobody rings when there is room again.
            wait(until: isWell ? nextForget : nextTry)
        }
        state.withLock { state in
            state.lost += UInt64(state.order.count)
            (state.reader, state.order, state.waiting) = (nil, [], [:])
        }
    }

    private func wait(until time: HostTime) {
        var entry = pollfd(fd: bell.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let left = time.milliseconds(since: .monotonicNow()).rounded(.up)
        poll(&entry, 1, Int32(max(0, min(left, Self.forgetMilliseconds))))
    }

    /// Opens the database where it is not open, writes what waits, and takes away what is too old.
    /// - Returns: whether nothing is wrong.
    private func attempt(_ store: inout HistoryStore?, _ nextForget: inout HostTime) -> Bool {
        do throws(HistoryError) {
            let open = try opened(&store)
            while try writeSome(to: open) {}
            try writeSettings(to: open)
            if HostTime.monotonicNow() >= nextForget {
                guard open.isInPlace else {
                    throw HistoryError.cannotUse(path: path, reason: "it was moved away or deleted, and a new one is made")
                }
                let hasMore = try open.forget(now: .now())
                nextForget = .monotonicNow().advanced(byMilliseconds: hasMore ? 0 : Self.forgetMilliseconds)
            }
        } catch {
            // What is damaged, or no longer there, is opened anew by the next try: by then those who read it now are done.
            let isGone = store?.isInPlace == false || error.isDamage
            let isNew = state.withLock { state in
                if isGone { state.reader = nil }
                defer { state.trouble = error }
                return state.trouble != error
            }
            if isGone { store = nil }
            if isNew { onTrouble(error) }
            return false
        }
        if state.withLock({ $0.trouble.take() }) != nil { onTrouble(nil) }
        return true
    }

    private func opened(_ store: inout HistoryStore?) throws(HistoryError) -> HistoryStore {
        if let store { return store }
        let isFirst = state.withLock { $0.kept == nil }
        let opened = try HistoryStore(path: path, retention: retention, isFirst: isFirst)
        let kept = try opened.settings()
        store = opened
        state.withLock { state in
            (state.reader, state.kept) = (opened.reader, state.kept ?? kept)
            if isFirst {
                state.known.merge(kept.mapValues { Optional($0) }) { now, _ in now }
            } else {
                // It may be a new one, in place of one that was moved away.
                state.settings = state.known
            }
        }
        return opened
    }

    private func writeSettings(to store: HistoryStore) throws(HistoryError) {
        let settings = state.withLock { $0.settings }
        guard !settings.isEmpty else { return }
        try store.write(settings: settings)
        state.withLock { state in
            // What has changed meanwhile goes on waiting.
            for (name, value) in settings {
                if let now = state.settings[name], now == value { state.settings.removeValue(forKey: name) }
            }
        }
    }

    /// - Returns: whether there may be more.
    private func writeSome(to store: HistoryStore) throws(HistoryError) -> Bool {
        let rows = state.withLock { state in state.order.prefix(Self.batch).compactMap { state.waiting[$0] } }
        guard !rows.isEmpty else { return false }
        try store.write(rows)
        state.withLock { state in
            state.written += UInt64(rows.count)
            // What has changed meanwhile goes on waiting.
            for row in rows where state.waiting[row.id] == row { state.waiting[row.id] = nil }
            state.order.removeAll { state.waiting[$0] == nil }
        }
        return true
    }
}
