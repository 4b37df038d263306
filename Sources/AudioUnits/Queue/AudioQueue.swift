import Glibc
import Realtime
import Threads

/// Plays buffers in the order they were enqueued, through an effect of its own, with one tap before or after it.
///
/// - Buffers have the rate and channels of the queue's output format, in any sample type. They may be enqueued before it is
///   initialized and while it plays, from any thread. Where there are none it is silent, and goes on with the next.
/// - A buffer's notice comes on a thread of the queue's own once its last frame was taken, which is before it is heard.
/// - The sound passes unchanged at rate 1 without a pitch shift.
///
/// Sendable: settings are behind a lock, speed and pitch are atomics.
public final class AudioQueue: ProcessingUnit, @unchecked Sendable {
    /// What the queue does to the speed.
    public enum Effect: Sendable, CaseIterable {
        /// Nothing.
        case none
        /// As `Varispeed`: the pitch goes with the speed.
        case varispeed
        /// As `TimePitch`: speed and pitch apart.
        case timePitch
    }

    /// What became of a buffer.
    public enum Outcome: Sendable {
        /// All of it was taken.
        case played
        /// `reset()` or the queue's end came before.
        case dropped
    }

    /// Buffers that may wait.
    public static let maximumBuffers = 1024
    /// Speeds there are.
    public static let rates = SpeedAndPitch.rates
    /// Pitch shifts there are, in cents.
    public static let pitches = SpeedAndPitch.pitches

    private struct Control {
        var session: QueueSession?
        var layout: ProcessingTap.Layout?
        /// Enqueued before `initialize()`.
        var waiting: [QueueSession.Item] = []
        var tap: ProcessingTap?
    }

    /// What the queue does to the speed.
    public let effect: Effect
    private let control = Lock(Control())
    private let time = SpeedAndPitch()

    public init(effect: Effect = .none) {
        self.effect = effect
        super.init(shape: UnitShape(component: .audioQueue, inputElements: 0...0, formats: .source))
    }

    deinit { dispose() }

    /// Seconds of the buffers that a second plays; 1 by default.
    public var rate: Double { time.rate.value }

    /// Sets the speed, 0.25 ... 4; of no effect without an effect.
    public func setRate(_ rate: Double) throws(AudioUnitError) { try time.setRate(rate) }

    /// How much higher the sound is, in cents (1200 an octave); 0 by default.
    public var pitch: Double { time.shift.value }

    /// Sets the pitch shift, -2400 ... 2400 cents; heard with `timePitch` only.
    public func setPitch(_ cents: Double) throws(AudioUnitError) { try time.setPitch(cents) }

    /// Buffers that are not finished.
    public var waitingBuffers: Int {
        control.withLock { $0.session?.count ?? $0.waiting.count }
    }

    /// Plays a buffer after those that wait.
    /// - `finished`: told what became of it, on the queue's own thread; it may enqueue.
    public func enqueue(
        _ buffer: AudioQueueBuffer, finished: (@Sendable (Outcome) -> Void)? = nil
    ) throws(AudioUnitError) {
        if let refusal = Self.refusal(of: buffer, at: try format(scope: .output, element: 0)) { throw refusal }
        let item = QueueSession.Item(buffer: buffer, finished: finished)
        let fits = control.withLock { control in
            if let session = control.session { return session.enqueue(item) }
            guard control.waiting.count < Self.maximumBuffers else { return false }
            control.waiting.append(item)
            return true
        }
        if !fits { throw .queueFull(maximum: Self.maximumBuffers) }
    }

    /// Drops what was enqueued so far, the buffer at hand too; while nothing renders, when it next does.
    public func reset() {
        let dropped = control.withLock { control in
            control.session?.reset()
            defer { control.waiting = [] }
            return control.waiting
        }
        for item in dropped { item.finished?(.dropped) }
    }

    /// Puts the queue's one tap in, at any time; a second one is refused.
    public func installTap(_ tap: ProcessingTap) throws(AudioUnitError) {
        let isTaken = control.withLock { control in
            guard control.tap == nil else { return true }
            control.tap = tap
            if let session = control.session, let layout = control.layout {
                tap.prepare?(layout)
                session.tap.put(tap)
            }
            return false
        }
        if isTaken { throw .tapInstalled }
    }

    /// Takes the tap out; when it returns the tap is not called any more. Not from the tap itself.
    public func removeTap() {
        control.withLock { control, leaving in
            control.session?.tap.clear()
            leaving.take(control.tap)
            control.tap = nil
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let waiting = control.withLock { $0.waiting }
        for item in waiting {
            if let refusal = Self.refusal(of: item.buffer, at: layout.output) { throw refusal }
        }
        let (session, reader) = try QueueSession.make()
        let tapLayout = ProcessingTap.Layout(maximumFrames: layout.maximumFrames, format: layout.output)
        let old = control.withLock { control in
            let old = control.session
            control.session = session
            control.layout = tapLayout
            for item in control.waiting { _ = session.enqueue(item) }
            control.waiting = []
            if let tap = control.tap {
                tap.prepare?(tapLayout)
                session.tap.put(tap)
            }
            return old
        }
        old?.end()
        let stage: QueueEffect? =
            effect == .none
            ? nil : QueueEffect(layout, keepsPitch: effect == .timePitch, rate: time.rate, factor: time.factor)
        return RenderKernel(QueueKernel(layout, session: session, reader: reader, effect: stage)) { context, slice, _ in
            QueueKernel.render(
                context.assumingMemoryBound(to: QueueKernel.self),
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee)
        }
    }

    public override func kernelEnded() {
        let isOver = state == .disposed
        let (session, never) = control.withLock { control in
            defer {
                control.session = nil
                if isOver { control.waiting = [] }
            }
            return (control.session, isOver ? control.waiting : [])
        }
        session?.end()
        guard !never.isEmpty else { return }
        // Whoever hears of it may call the queue, which is in the middle of ending here.
        do {
            _ = try RealtimeThread(name: "queue", owning: never) { for item in $0 { item.finished?(.dropped) } }
        } catch {
            for item in never { item.finished?(.dropped) }
        }
    }

    private static func refusal(of buffer: AudioQueueBuffer, at format: StreamFormat) -> AudioUnitError? {
        guard buffer.format.sampleRate != format.sampleRate || buffer.format.channels != format.channels else { return nil }
        return .formatUnsupported(
            buffer.format,
            reason: "the queue plays \(Int(format.sampleRate)) Hz and \(format.channels) channels: set its output format")
    }
}
