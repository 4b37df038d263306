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

    /// The call is over: the disk's thread closes the file.
    func end() { place.isOver.store(true, ordering: .releasing) }
}

/// The recordings of calls that come and go, in one folder; served by one disk thread, which opens no file and closes each.
final class PortRecordings: DiskClient, Sendable {
    /// A file that is being written. Its writer is the disk thread's alone.
    ///
    /// Sendable: the loop sets the atomic alone; writer and `isClosed` are the disk thread's.
    fileprivate final class Place: @unchecked Sendable {
        let writer: SignalWriter
        let isOver = Atomic<Bool>(false)
        /// The disk thread's.
        var isClosed = false

        init(_ writer: SignalWriter) { self.writer = writer }
    }

    private let folder: String
    private let sampleRate: Int
    private let places = Lock<[Place]>([])
    private let warnings = Lock<[String]>([])

    init(folder: String, sampleRate: Int) {
        self.folder = folder
        self.sampleRate = sampleRate
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
        let (writer, channels) = try SignalWriter.open(path: path, sampleRate: sampleRate, channels: 2)
        let place = Place(writer)
        places.withLock { $0.append(place) }
        return PortRecording(channels[0], channels[1], place)
    }

    func drain() {
        for place in places.withLock({ $0 }) {
            // Asked first: what came before the end is drained by `finish`.
            if place.isOver.load(ordering: .acquiring) { close(place) } else { place.writer.drain() }
        }
        places.withLock { $0.removeAll { $0.isClosed } }
    }

    func finish() { for place in places.withLock({ $0 }) { close(place) } }

    private func close(_ place: Place) {
        guard !place.isClosed else { return }
        place.isClosed = true
        place.writer.finish()
        let health = place.writer.health
        let reason = health.failureReason ?? (health.dropped > 0 ? "the disk was too slow, it has gaps" : nil)
        if let reason { warnings.withLock { $0.append("\(health.path): \(reason)") } }
    }

    /// What went wrong since the last time, for a person.
    func takeWarnings() -> [String] {
        warnings.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
