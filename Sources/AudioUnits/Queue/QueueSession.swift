import Glibc
import Realtime
import Synchronization
import Threads

/// A buffer on its way to the render thread.
struct QueueEntry: BitwiseCopyable {
    let data: UnsafeRawPointer
    let frames: Int
    let format: StreamFormat
    let identifier: Int
    /// Entries of an older round were dropped by `reset`.
    let round: Int
    /// Rings want a power of two.
    private var unused = 0

    init(_ buffer: AudioQueueBuffer, identifier: Int, round: Int) {
        data = UnsafeRawPointer(buffer.data)
        frames = buffer.frames
        format = buffer.format
        self.identifier = identifier
        self.round = round
    }
}

/// A buffer the render thread no longer needs.
struct QueueNotice: BitwiseCopyable {
    let identifier: Int
    let wasPlayed: Int
}

/// What an `AudioQueue` shares with its kernel from `initialize()` to `uninitialize()`: buffers on their way there, notices
/// on their way back, and the thread that passes the notices on, so that memory is given back away from the render thread.
///
/// Sendable: control is behind a lock, the flow holds atomics, and the tap is set under the queue's lock.
final class QueueSession: @unchecked Sendable {
    struct Item {
        let buffer: AudioQueueBuffer
        let finished: (@Sendable (AudioQueue.Outcome) -> Void)?
    }

    struct Flow: ~Copyable {
        let round = Atomic<Int>(0)
        let isEnding = Atomic<Bool>(false)
    }

    private struct Control: ~Copyable {
        var entries: RingProducer<QueueEntry>
        var items: [Int: Item] = [:]
        var next = 0
        /// Buffers a kernel may still look at after the end.
        var kept: [Item] = []
    }

    let flow: UnsafeMutablePointer<Flow>
    let signal: EventSignal
    let tap = TapSlot()
    private let control: Lock<Control>

    /// A session with the kernel's ends of its rings.
    static func make() throws(AudioUnitError) -> (
        session: QueueSession, reader: UnsafeMutablePointer<QueueReader>
    ) {
        do {
            let entries = try RingEnds<QueueEntry>(minimumCapacity: AudioQueue.maximumBuffers)
            let notices = try RingEnds<QueueNotice>(minimumCapacity: AudioQueue.maximumBuffers)
            let session = QueueSession(signal: try EventSignal(), entries: entries.producer)
            let reader = UnsafeMutablePointer<QueueReader>.allocate(capacity: 1)
            reader.initialize(
                to: QueueReader(
                    entries: entries.consumer, notices: notices.producer, flow: session.flow, signal: session.signal))
            let notifier = QueueNotifier(session: session, notices: notices.consumer)
            do {
                _ = try RealtimeThread(name: "queue", owning: notifier) { $0.run() }
            } catch {
                reader.deinitialize(count: 1)
                reader.deallocate()
                throw error
            }
            return (session, reader)
        } catch {
            throw .noResources(reason: "\(error)")
        }
    }

    private init(signal: EventSignal, entries: consuming sending RingProducer<QueueEntry>) {
        self.signal = signal
        flow = .allocate(capacity: 1)
        flow.initialize(to: Flow())
        control = Lock(Control(entries: entries))
    }

    deinit {
        signal.close()
        flow.deinitialize(count: 1)
        flow.deallocate()
    }

    /// Buffers that are not finished.
    var count: Int { control.withLock { $0.items.count } }

    /// Sends a buffer on its way; false when too many are.
    func enqueue(_ item: Item) -> Bool {
        control.withLock { control in
            guard control.items.count < AudioQueue.maximumBuffers else { return false }
            var entry = QueueEntry(
                item.buffer, identifier: control.next, round: flow.pointee.round.load(ordering: .relaxed))
            control.items[control.next] = item
            control.next += 1
            return control.entries.write(&entry, count: 1) == 1
        }
    }

    /// Has everything that was enqueued so far dropped.
    func reset() {
        // Under the lock: what is enqueued later belongs to the new round.
        control.withLock { _ in _ = flow.pointee.round.wrappingAdd(1, ordering: .releasing) }
    }

    /// Ends the session: what is not finished is told to be dropped.
    func end() {
        tap.clear()
        flow.pointee.isEnding.store(true, ordering: .releasing)
        signal.signal()
    }

    func take(_ identifier: Int) -> Item? { control.withLock { $0.items.removeValue(forKey: identifier) } }

    /// What is left at the end, in order; kept alive as long as the kernel is.
    func takeAll() -> [Item] {
        control.withLock { control in
            let left = control.items.sorted { $0.key < $1.key }.map(\.value)
            control.items = [:]
            control.kept = left
            return left
        }
    }
}

/// Tells the application which buffers are finished; a thread of its own, which ends with its session.
struct QueueNotifier: ~Copyable, Sendable {
    private let session: QueueSession
    private var notices: RingConsumer<QueueNotice>

    init(session: QueueSession, notices: consuming RingConsumer<QueueNotice>) {
        self.session = session
        self.notices = notices
    }

    mutating func run() {
        var isEnding = false
        while !isEnding {
            var descriptor = pollfd(fd: session.signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, -1)
            session.signal.drain()
            isEnding = session.flow.pointee.isEnding.load(ordering: .acquiring)
            var notice = QueueNotice(identifier: 0, wasPlayed: 0)
            while notices.read(into: &notice, count: 1) == 1 {
                session.take(notice.identifier)?.finished?(notice.wasPlayed != 0 ? .played : .dropped)
            }
        }
        for item in session.takeAll() { item.finished?(.dropped) }
    }
}
