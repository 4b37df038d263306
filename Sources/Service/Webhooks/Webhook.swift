import NIOPosix
import Realtime
import Reporting
import Synchronization
import WebClient

/// One webhook at work: it takes the events that it wants from the service's spool to the disk, and from the disk to its receiver, in
/// order. A receiver that hangs or fails holds up nobody but itself.
final class Webhook: Sendable {
    struct Figures: Sendable {
        var delivered: UInt64 = 0
        var failed: UInt64 = 0
        var dropped: UInt64 = 0
        /// What went wrong last; `nil`: the last try succeeded, or there was none.
        var trouble: String?
        /// When it is tried again.
        var nextTry: Timestamp?
    }

    /// What a reload may change.
    private struct Course {
        var settings: WebhookSettings
        /// Whose events are wanted behind which one, the oldest first.
        var choices: [(after: UInt64, settings: WebhookSettings)]
        /// Until the next try; `nil`: none is waited for.
        var pause: Task<Bool, Never>?
    }

    let name: String
    private let course: Lock<Course>
    private let client: WebClient
    private let events: EventSpool
    let spool: WebhookSpool
    private let disk: NIOThreadPool
    private let state = Lock(Figures())
    private let bell: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let tasks = Lock<[Task<Void, Never>]>([])
    private let isEnding = Atomic(false)

    /// An event that nobody took for so long is given up, ms.
    private static let longestLife: Int64 = 3 * 86_400_000
    /// From the connection to the answer's head, s.
    private static let patience = 10.0
    /// Seconds until a disk that refuses is asked again.
    private static let diskPause = 1.0
    /// Seconds that the service's end waits for the disk.
    private static let longestEnd = 30.0
    /// This event is refused, and will be.
    private static let refusals: Set<Int> = [400, 413, 415, 422]

    init(
        _ settings: WebhookSettings, _ events: EventSpool, _ spool: WebhookSpool, disk: NIOThreadPool, client: WebClient
    ) {
        (name, self.events, self.spool, self.disk, self.client) = (settings.name, events, spool, disk, client)
        course = Lock(Course(settings: settings, choices: [(0, settings)]))
        bell = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// - Parameter place: the last event that it is not told of.
    func start(after place: UInt64) {
        let collecting = Task { [self] in await collect(after: place) }
        let delivering = Task { [self] in await deliver() }
        tasks.withLock { $0 = [collecting, delivering] }
    }

    /// Takes to the disk what was told, where the service has ended; what nobody took stays there.
    func finish() async {
        let tasks = tasks.withLock { $0 }
        // A disk that refuses keeps nobody from ending, and one that hangs does not for long.
        isEnding.store(true, ordering: .relaxed)
        let limit = Task {
            if (try? await Task.sleep(for: .seconds(Self.longestEnd))) != nil { tasks.first?.cancel() }
        }
        await tasks.first?.value
        limit.cancel()
        tasks.last?.cancel()
    }

    /// Tells nobody anything any more, and gives up what waits.
    /// - Returns: how many events waited.
    func drop() -> Int {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        let count = spool.clear()
        state.withLock { $0.dropped += UInt64(count) }
        return count
    }

    /// Goes on with other settings. What waits goes to the new receiver, at once; what is on its way comes to its end first.
    /// - Parameters:
    ///   - settings: of the same name.
    ///   - place: the last event that is still chosen as before.
    func change(to settings: WebhookSettings, after place: UInt64) {
        let pause = course.withLock { course in
            course.settings = settings
            course.choices.append((place, settings))
            return course.pause
        }
        state.withLock { ($0.trouble, $0.nextTry) = (nil, nil) }
        pause?.cancel()
    }

    var settings: WebhookSettings { course.withLock { $0.settings } }
    var figures: Figures { state.withLock { $0 } }
    var waiting: Int { spool.count }

    // MARK: To the disk

    private func collect(after first: UInt64) async {
        var place = first
        var isBehind = false
        for await _ in events.doorbell() {
            while !Task.isCancelled {
                let batch = events.read(after: place)
                if batch.lost > 0 { noteMissed(batch.lost, isNew: !isBehind) }
                guard let last = batch.items.last else { break }
                isBehind = batch.lost > 0 || (isBehind && last.id.sequence < batch.end)
                var rest = batch.items.filter(wants)[...]
                while !rest.isEmpty, !Task.isCancelled {
                    rest = rest.dropFirst(await keep(rest))
                    guard !rest.isEmpty else { break }
                    if isEnding.load(ordering: .relaxed) {
                        // Each is tried, and none twice.
                        rest = rest.dropFirst()
                    } else {
                        try? await Task.sleep(for: .seconds(Self.diskPause))
                    }
                }
                place = last.id.sequence
                forgetChoices(until: place)
            }
        }
    }

    /// Events were gone before they were read. Where the webhook chooses some, nobody knows how many of them it wanted.
    private func noteMissed(_ count: UInt64, isNew: Bool) {
        if settings.events.isEmpty { state.withLock { $0.dropped += count } }
        guard isNew else { return }
        logger.error(
            "the disk of softphone.webhook_spool is too slow: \(count) events were gone before the webhook \(name) kept them")
    }

    private func wants(_ item: EventSpool.Item) -> Bool {
        let choices = course.withLock { $0.choices }
        return choices.last(where: { $0.after < item.id.sequence })?.settings.wants(item.type) ?? false
    }

    /// What chose only events that are on the disk.
    private func forgetChoices(until place: UInt64) {
        course.withLock { course in
            let past = course.choices.dropFirst().prefix { $0.after <= place }.count
            course.choices.removeFirst(past)
        }
    }

    /// Takes events to the disk, all in one go: whoever waits for a turn for each of them waits long on a busy machine.
    /// - Returns: how many are there, up to the first that the disk refused.
    private func keep(_ items: ArraySlice<EventSpool.Item>) async -> Int {
        let spool = spool
        let written = try? await disk.runIfActive {
            var (count, gone) = (0, 0)
            do {
                for item in items {
                    gone += try spool.add(id: item.id.description, Array(item.data.utf8))
                    count += 1
                }
            } catch {
                return (count: count, gone: gone, trouble: "\(error)" as String?)
            }
            return (count: count, gone: gone, trouble: nil)
        }
        // Without a disk that still runs nothing is kept any more.
        guard let written else { return 0 }
        if written.count > 0 { bell.continuation.yield() }
        let isNew = state.withLock { state in
            state.dropped += UInt64(written.gone)
            defer { if written.trouble != nil { state.trouble = "softphone.webhook_spool: \(written.trouble ?? "")" } }
            return state.trouble == nil
        }
        if let trouble = written.trouble, isNew {
            logger.error("events for the webhook \(name) cannot be kept, in softphone.webhook_spool: \(trouble)")
        }
        return written.count
    }

    // MARK: To the receiver

    private func deliver() async {
        var schedule = RetrySchedule()
        bell.continuation.yield()
        for await _ in bell.stream {
            while !Task.isCancelled, let item = spool.oldest {
                let settings = settings
                guard let seconds = await attempt(item, settings, &schedule) else { continue }
                if await pause(seconds, settings) { schedule.reset() }
            }
        }
    }

    /// Waits until the next try.
    /// - Parameter settings: those that failed.
    /// - Returns: whether others cut it short.
    private func pause(_ seconds: Double, _ settings: WebhookSettings) async -> Bool {
        let pause = Task { (try? await Task.sleep(for: .seconds(seconds))) == nil }
        let isOld = course.withLock { course in
            course.pause = pause
            return course.settings != settings
        }
        defer { course.withLock { $0.pause = nil } }
        if isOld {
            pause.cancel()
        } else {
            let next = Timestamp.now().millisecondsSince1970 + Int64(seconds * 1000)
            state.withLock { $0.nextTry = Timestamp(millisecondsSince1970: next) }
        }
        return await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
    }

    /// - Returns: seconds until the next try; `nil`: the event is done with.
    private func attempt(
        _ item: WebhookSpool.Item, _ settings: WebhookSettings, _ schedule: inout RetrySchedule
    ) async -> Double? {
        let spool = spool
        let text: [UInt8]?
        // The service ends, or the webhook does: what waits stays.
        do { text = try await disk.runIfActive { spool.body(of: item) } } catch { return Self.diskPause }
        guard let body = text else { return drop(item, "it cannot be read") }
        let now = Timestamp.now()
        guard now.millisecondsSince1970 - item.time.millisecondsSince1970 < Self.longestLife else {
            return drop(item, "nobody took it for three days")
        }
        let headers = WebhookSignature.headers(
            id: item.id, seconds: now.millisecondsSince1970 / 1000, body: body, key: settings.key)
        var wish: Int?
        let trouble: String
        do throws(WebClient.Failure) {
            let request = WebClient.Request(
                "POST", settings.address.path, headers: headers + [("Content-Type", "application/json")], body: body,
                patience: Self.patience)
            let answer = try await client.ask(request, of: settings.address)
            if (200..<300).contains(answer.status) { return delivered(item, &schedule) }
            if Self.refusals.contains(answer.status) {
                state.withLock { $0.failed += 1 }
                return drop(item, "the receiver refuses it: \(answer.status)")
            }
            trouble = "\(settings.address.text) answered \(answer.status)"
            wish = answer.headers["retry-after"].flatMap { RetrySchedule.wish($0, now: now) }
        } catch {
            let remedy = error.distrust == .authority ? "; name the authority's file in tls.ca, or renew the certificate" : ""
            trouble = "\(settings.address.text): \(error)\(remedy)"
        }
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            state.failed += 1
            return state.trouble == nil
        }
        if isNew { logger.warning("the webhook \(name) takes no event (\(trouble)); it is tried again") }
        return schedule.next(random: .random(in: 0..<1), wish: wish)
    }

    private func delivered(_ item: WebhookSpool.Item, _ schedule: inout RetrySchedule) -> Double? {
        _ = spool.remove(item)
        schedule.reset()
        let was = state.withLock { state in
            defer { (state.trouble, state.nextTry) = (nil, nil) }
            state.delivered += 1
            return state.trouble
        }
        if was != nil { logger.notice("the webhook \(name) takes events again") }
        return nil
    }

    private func drop(_ item: WebhookSpool.Item, _ reason: String) -> Double? {
        guard spool.remove(item) else { return nil }
        state.withLock { $0.dropped += 1 }
        logger.warning("the event \(item.id) is lost to the webhook \(name): \(reason)")
        return nil
    }
}
