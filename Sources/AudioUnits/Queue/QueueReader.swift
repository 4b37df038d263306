import Realtime
import Synchronization

/// Enqueued buffers as one stream, on the render thread.
struct QueueReader: ~Copyable {
    private var entries: RingConsumer<QueueEntry>
    private var notices: RingProducer<QueueNotice>
    private let flow: UnsafeMutablePointer<QueueSession.Flow>
    private let signal: EventSignal
    private var current: QueueEntry?
    private var offset = 0
    /// Frames read since the start.
    private(set) var position: Int64 = 0

    init(
        entries: consuming RingConsumer<QueueEntry>, notices: consuming RingProducer<QueueNotice>,
        flow: UnsafeMutablePointer<QueueSession.Flow>, signal: EventSignal
    ) {
        self.entries = entries
        self.notices = notices
        self.flow = flow
        self.signal = signal
    }

    /// Reads up to `frames` frames into runs `stride` samples apart; fewer when the queue runs dry.
    @_noLocks
    mutating func read(into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int) -> Int {
        let round = flow.pointee.round.load(ordering: .acquiring)
        var done = 0
        var isNoticed = false
        while done < frames {
            if current == nil {
                guard let next = next() else { break }
                current = next
                offset = 0
            }
            guard let entry = current else { break }
            let isDropped = entry.round != round
            if !isDropped {
                let count = min(frames &- done, entry.frames &- offset)
                let step = entry.format.sampleStride
                SampleCoder.unpack(
                    entry.data + offset &* step, format: entry.format,
                    channelByteStride: entry.frames &* entry.format.sampleType.bytes, frames: count,
                    into: target + done, stride: stride)
                offset &+= count
                done &+= count
            }
            if isDropped || offset >= entry.frames {
                var notice = QueueNotice(identifier: entry.identifier, wasPlayed: isDropped ? 0 : 1)
                _ = notices.write(&notice, count: 1)
                isNoticed = true
                current = nil
            }
        }
        position &+= Int64(done)
        if isNoticed { signal.signal() }
        return done
    }

    @_noLocks
    private mutating func next() -> QueueEntry? {
        guard entries.available(wanted: 1) >= 1 else { return nil }
        let entry = entries.withFilled { $0[0] }
        entries.consume(1)
        return entry
    }
}
