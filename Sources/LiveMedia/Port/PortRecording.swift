import AudioFiles
import Glibc
import Realtime
import Synchronization

/// The recording of one call of many: stereo WAV, left what was sent, right what was heard.
final class PortRecording {
    private let sent: SignalChannel
    private let received: SignalChannel
    private let place: PortRecordings.Place

    fileprivate init(_ sent: SignalChannel, _ received: SignalChannel, _ place: PortRecordings.Place) {
        (self.sent, self.received, self.place) = (sent, received, place)
    }

    func heard(_ block: [Float]) { received.add(block) }
    func said(_ block: [Float]) { sent.add(block) }

    /// The call is over: the file is closed when all is written.
    func end() { place.isOver.store(true, ordering: .releasing) }
}

/// The recordings of calls that come and go, in one folder.
///
/// ```
/// loop -> rings of a third of a second -> collecting thread -> SignalBacklog -> disk thread -> files
/// ```
/// A ring that bridges seconds in which the disk stands still takes their memory all the time. So one thread, which never waits for
/// the disk, empties small rings, and what waits for the disk takes memory while it does. The loop opens files, the disk thread closes them.
final class PortRecordings: DiskClient, Sendable {
    /// A file that is being written.
    ///
    /// Sendable: the collector is the collecting thread's alone, the file, `isClosed` and `taken` are the disk thread's.
    fileprivate final class Place: @unchecked Sendable {
        let collector: SignalCollector
        let backlog: SignalBacklog
        let file: SignalFile
        /// The call is over: set by its loop.
        let isOver = Atomic<Bool>(false)
        /// Nothing more comes from the rings: set by the collecting thread.
        let isCollected = Atomic<Bool>(false)
        var isClosed = false
        var taken: [Int16] = []

        init(_ collector: SignalCollector, _ backlog: SignalBacklog, _ file: SignalFile) {
            (self.collector, self.backlog, self.file) = (collector, backlog, file)
        }
    }

    /// What a ring holds, in seconds: the collecting thread serves it several times meanwhile.
    private static let ringSeconds = 1.0 / 3
    /// How often the collecting thread is to serve, in milliseconds.
    static let collectingMilliseconds = 50.0

    private let folder: String
    private let sampleRate: Int
    private let places = Lock<[Place]>([])
    private let warnings = Lock<[String]>([])

    init(folder: String, sampleRate: Int) {
        self.folder = folder
        self.sampleRate = sampleRate
    }

    /// Those of a port; nil: its calls are not recorded.
    convenience init?(_ plan: PortPlan) {
        guard let folder = plan.recordingFolder else { return nil }
        self.init(folder: folder, sampleRate: plan.configuration.stream.audioRate)
    }

    /// Creates the file of the call `number`. One of that name is of an earlier program's call: it is kept, and this one's gets a
    /// number behind.
    func open(_ number: UInt64) throws(CallError) -> PortRecording {
        let digits = String(number + 1)
        let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        let start = "\(folder)/call-\(name)"
        var path = start + ".wav"
        var copies = 1
        while access(path, F_OK) == 0 {
            copies += 1
            path = "\(start)-\(copies).wav"
        }
        let health = FileHealth(path: path)
        let (collector, channels) = try SignalCollector.open(
            channels: 2, sampleRate: sampleRate, ringSeconds: Self.ringSeconds, health: health)
        let file = try SignalFile(health, sampleRate: sampleRate, channels: 2)
        let place = Place(collector, SignalBacklog(capacity: 2 * sampleRate * SignalWriter.ringSeconds, health: health), file)
        places.withLock { $0.append(place) }
        return PortRecording(channels[0], channels[1], place)
    }

    /// What empties the rings; on a thread of its own, which ends before the disk's.
    var collecting: any DiskClient { Collecting(self) }

    private final class Collecting: DiskClient {
        private let recordings: PortRecordings

        init(_ recordings: PortRecordings) { self.recordings = recordings }

        func drain() { recordings.collect() }
        func finish() { recordings.collect(toEnd: true) }
    }

    private func collect(toEnd: Bool = false) {
        for place in places.withLock({ $0 }) where !place.isCollected.load(ordering: .relaxed) {
            // Asked first: what came before the end is there then.
            let isOver = toEnd || place.isOver.load(ordering: .acquiring)
            while place.collector.take(toEnd: isOver, place.backlog.add) {}
            if isOver { place.isCollected.store(true, ordering: .releasing) }
        }
    }

    func drain() {
        for place in places.withLock({ $0 }) {
            let isCollected = place.isCollected.load(ordering: .acquiring)
            place.backlog.exchange(&place.taken)
            place.taken.withUnsafeBufferPointer(place.file.write)
            if isCollected { close(place) }
        }
        places.withLock { $0.removeAll { $0.isClosed } }
    }

    func finish() {
        drain()
        // Who was not collected: the collecting thread was left behind.
        for place in places.withLock({ $0 }) { close(place) }
    }

    private func close(_ place: Place) {
        guard !place.isClosed else { return }
        place.isClosed = true
        place.file.finish()
        let health = place.file.health
        let reason = health.failureReason ?? (health.dropped > 0 ? "the disk was too slow, it has gaps" : nil)
        if let reason { warnings.withLock { $0.append("\(health.path): \(reason)") } }
    }

    /// Why a file that is still open takes no more; nil: each does.
    var failure: String? {
        for place in places.withLock({ $0 }) { if let reason = place.file.health.failureReason { return reason } }
        return nil
    }

    /// What went wrong since the last time, for a person.
    func takeWarnings() -> [String] {
        warnings.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
