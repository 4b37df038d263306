import Codecs
import Glibc
import LiveMedia
import Realtime
import Softphone
import Synchronization
import Threads

/// The threads of a load, and what their owner sees of them: those that make the calls, one a core where there are many, and one of ordinary
/// priority that finds out afterwards what was heard.
///
/// ```
/// load-0, load-1 ...  sockets, packets, counts  <- LoadSignal -  LoadSignalling: calls by SIP, on a thread of its own
///       | LoadNews
/// load-ears           decoders, EchoEar -> reports, results
/// ```
///
/// Sendable: the threads are the owner's, who alone calls what is not constant; all else is shared by locks and atomics.
final class LoadThreads: @unchecked Sendable {
    /// Calls for which a thread of its own pays: it wakes up 1000 times a second.
    private static let callsOfThread = 200
    /// Who measures is not to wait for what is measured, where both share a machine.
    private static let priority = CallSession.mediaPriority + 1

    private let shared: LoadShared
    private var threads: [LoadThread] = []

    /// Starts making calls.
    /// - Parameter realtime: whether real-time priority is asked for.
    init(_ plan: LoadPlan, realtime: Bool) throws(SoftphoneError) {
        let speeches = try plan.speeches()
        let count = max(1, min(CoreAffinity.cores, (plan.calls + Self.callsOfThread - 1) / Self.callsOfThread))
        let start = HostTime.monotonicNow()
        let signalling: LoadSignalling? = if case .sip(let request) = plan.way { try LoadSignalling(request) } else { nil }
        do { shared = try LoadShared(signalling) } catch { throw .resources("\(error)") }
        do {
            for index in 0..<count {
                let runner = try LoadRunner(
                    plan, speeches, signalling, share: .init(index: index, of: count), start: start)
                threads.append(
                    try LoadThread("load-\(index)", realtime ? .realtime(priority: Self.priority) : .normal, runner, shared))
            }
            let ears = try LoadEars(plan, speeches, runners: count)
            threads.append(try LoadThread("load-ears", .normal, ears, shared))
        } catch {
            end()
            join()
            signalling?.close()
            throw error
        }
    }

    private func join() {
        for thread in threads { thread.join() }
        threads = []
    }

    /// Readable while reports wait, and at the end.
    var descriptor: Int32 { shared.reports.signal.fileDescriptor }
    /// Calls that run now.
    var callsNow: Int { shared.active.load(ordering: .relaxed) }

    /// Has every call end, and makes no more.
    func end() { shared.isEnding.store(true, ordering: .releasing) }

    /// Calls that have ended since the last time.
    func takeReports() -> [LoadCallReport] { shared.reports.takeAll() }

    /// What all measured, once, when everything is closed; `nil` while calls run.
    func results() -> LoadResults? {
        guard let results = shared.results.withLock({ $0 }) else { return nil }
        join()
        shared.signalling?.close()
        return results
    }
}

/// What the threads of a load and their owner share.
final class LoadShared: Sendable {
    /// Stretches of sound that wait to be looked at, at most: some 80 MB.
    static let mostWaiting = 8192

    let news: Mailbox<[LoadNews]>
    let reports: Mailbox<LoadCallReport>
    let results = Lock<LoadResults?>(nil)
    let isEnding = Atomic<Bool>(false)
    let active = Atomic<Int>(0)
    let waiting = Atomic<Int>(0)
    /// nil: nobody signals.
    let signalling: LoadSignalling?

    init(_ signalling: LoadSignalling?) throws(RealtimeError) {
        self.signalling = signalling
        news = try Mailbox()
        reports = try Mailbox()
    }
}

/// One of a load's threads, in a box: a noncopyable value cannot live in an array.
private final class LoadThread {
    private var thread: RealtimeThread?

    init<Work: LoadWork>(
        _ name: String, _ policy: ThreadPolicy, _ work: sending Work, _ shared: LoadShared
    ) throws(SoftphoneError) {
        do {
            thread = try RealtimeThread(name: name, policy: policy, owning: LoadSteps(work: work, shared: shared)) { $0.run() }
        } catch {
            throw .resources("\(error)")
        }
    }

    func join() { if let running = thread.take() { running.join() } }
}

/// What a thread of a load does.
private protocol LoadWork: SendableMetatype {
    mutating func run(_ shared: LoadShared)
}

/// Sendable: it cannot be copied and is handed to its thread, which alone has the work from then on.
private struct LoadSteps<Work: LoadWork>: ~Copyable, @unchecked Sendable {
    var work: Work
    let shared: LoadShared

    mutating func run() { work.run(shared) }
}

extension LoadRunner: LoadWork {
    fileprivate mutating func run(_ shared: LoadShared) {
        var (isTold, counted, leftOut) = (false, 0, 0)
        while !isOver {
            if shared.isEnding.load(ordering: .acquiring), !isTold {
                end()
                isTold = true
            }
            var news = run(milliseconds: 50)
            shared.active.wrappingAdd(active - counted, ordering: .relaxed)
            counted = active
            if shared.waiting.load(ordering: .relaxed) > LoadShared.mostWaiting {
                let before = news.count
                news.removeAll { if case .heard = $0 { true } else { false } }
                leftOut += before - news.count
            }
            guard !news.isEmpty else { continue }
            shared.waiting.wrappingAdd(news.count, ordering: .relaxed)
            shared.news.post(news)
        }
        var last = figures
        last.stretchesLeftOut = leftOut
        last.processorMilliseconds = ThreadTime.milliseconds
        shared.news.post([.end(last)])
    }
}

extension LoadEars: LoadWork {
    fileprivate mutating func run(_ shared: LoadShared) {
        let began = HostTime.monotonicNow()
        while !isOver {
            var entry = pollfd(fd: shared.news.signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, 1000)
            for batch in shared.news.takeAll() {
                for news in batch {
                    if let report = take(news) { shared.reports.post(report) }
                }
                shared.waiting.wrappingSubtract(batch.count, ordering: .relaxed)
            }
        }
        let milliseconds =
            processorMilliseconds + ThreadTime.milliseconds + (shared.signalling?.processorMilliseconds ?? 0)
        results.processorShare = milliseconds / max(1, HostTime.monotonicNow().milliseconds(since: began))
        let all = results
        shared.results.withLock { $0 = all }
        shared.reports.signal.signal()
    }
}
