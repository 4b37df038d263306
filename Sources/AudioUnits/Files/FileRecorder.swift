public import AudioFiles
import Realtime
import Synchronization
import DSP

/// Carries what a render thread has to an audio file: a ring, and a thread that empties it to the disk ten times a second.
///
/// What the ring cannot take because the disk stood still for 4 s is lost and counted; the render thread never waits. A full
/// disk ends the recording: `failure` says so, and what was written stays playable.
public final class FileRecorder: Sendable {
    /// Sendable: used under its owner's lock alone.
    private struct Control: @unchecked Sendable {
        var writer: AudioFileWriter
        var block: [Float]
        var meter: LevelMeter
        var failure: AudioFileError?
        var thread: DiskThread?
        var isFinished = false
    }

    /// The file.
    public let path: String
    /// What is in it: rate and channels.
    public let format: StreamFormat
    private let control: Lock<Control>
    private let frameLimit: Int
    private let lost = RecorderCounter()
    // Used only while `control` is locked.
    private nonisolated(unsafe) var ring: RingConsumer<Float>?

    /// The longest slice of an inlet, in frames.
    private static let mostFrames = 1 << 24
    /// How long the disk may stand still, in seconds.
    public static let ringSeconds = 4

    /// Creates the file, in the format its name ends in, WAV if it ends in none that is known.
    ///
    /// - `format`: rate and channels of what is recorded.
    /// - `depth`: how samples are stored.
    /// - `frameLimit`: frames after which nothing more is taken.
    /// - `onThread`: false has nothing written until the application calls `drain()`.
    public init(
        path: String, format: StreamFormat, depth: AudioFileDepth = .int16, frameLimit: Int? = nil, onThread: Bool = true
    ) throws(AudioUnitError) {
        try format.validate()
        self.path = path
        self.format = format
        self.frameLimit = frameLimit ?? .max
        let rate = Int(format.sampleRate)
        do {
            let writer = try AudioFileWriter(path: path, sampleRate: rate, channels: format.channels, depth: depth)
            control = Lock(
                Control(
                    writer: writer, block: [Float](repeating: 0, count: 4096 * format.channels),
                    meter: LevelMeter(sampleRate: rate * format.channels)))
        } catch {
            throw .file(error)
        }
        guard onThread else { return }
        let thread = DiskThread(name: "file-writer", clients: [RecorderClient(self)])
        do { try thread.start() } catch { throw .noResources(reason: "\(error)") }
        nonisolated(unsafe) let started = thread
        control.withLock { $0.thread = started }
    }

    deinit { try? close() }

    /// What ended the recording before its time.
    public var failure: AudioFileError? { control.withLock { $0.failure } }
    /// Frames in the file.
    public var framesWritten: Int { control.withLock { $0.writer.framesWritten } }
    /// Whether the file is closed.
    var isFinished: Bool { control.withLock { $0.isFinished } }
    /// Whether the limit of frames was reached.
    public var isComplete: Bool { framesWritten >= frameLimit }
    /// Frames lost because the disk was too slow, or because of a failure.
    public var droppedFrames: Int { lost.place.pointee.load(ordering: .relaxed) }
    /// RMS level of what was recorded last, all channels, in dBov, and the peak since this was last asked for.
    public var level: (dBov: Double, peak: Float) {
        control.withLock { control in
            defer { control.meter.resetPeak() }
            return (control.meter.levelDBov, control.meter.peak)
        }
    }

    /// The render thread's end, which takes slices of up to `maximumFrames`; a second one takes the place of the first.
    ///
    /// - Throws: `noFile` when the recording has ended: nothing would empty the ring.
    func makeInlet(maximumFrames: Int) throws(AudioUnitError) -> RecorderInlet {
        // An I/O unit's slice may be longer than what can be set: its device's blocks count.
        guard (1...Self.mostFrames).contains(maximumFrames) else {
            throw .outOfRange(setting: "maximum frames", allowed: "1 to \(Self.mostFrames)")
        }
        guard !isFinished else { throw .noFile }
        let ends: RingEnds<Float>
        do {
            ends = try RingEnds(minimumCapacity: Int(format.sampleRate) * Self.ringSeconds * format.channels)
        } catch {
            throw .noResources(reason: "\(error)")
        }
        drain()
        nonisolated(unsafe) var consumer = Optional(ends.consumer)
        control.withLock { _ in ring = consumer.take() }
        return RecorderInlet(ends.producer, channels: format.channels, maximumFrames: maximumFrames, lost: lost)
    }

    /// Writes what waits.
    public func drain() {
        control.withLock { control in
            guard ring != nil, !control.isFinished else { return }
            let channels = format.channels
            while true {
                let read = control.block.withUnsafeMutableBufferPointer { block in
                    block.baseAddress.map { ring?.read(into: $0, count: block.count) ?? 0 } ?? 0
                }
                guard read > 0 else { return }
                write(&control, samples: read, channels: channels)
            }
        }
    }

    private func write(_ control: inout Control, samples: Int, channels: Int) {
        guard control.failure == nil else {
            lost.place.pointee.wrappingAdd(samples / channels, ordering: .relaxed)
            return
        }
        let block = control.block
        block.withUnsafeBufferPointer { block in
            let wanted = min(samples / channels, frameLimit - control.writer.framesWritten) * channels
            let part = UnsafeBufferPointer(rebasing: block[..<max(0, wanted)])
            control.meter.add(part)
            do throws(AudioFileError) { try control.writer.write(part) } catch { control.failure = error }
        }
    }

    /// Writes the rest and closes the file.
    fileprivate func finish() {
        drain()
        control.withLock { control in
            guard !control.isFinished else { return }
            control.isFinished = true
            if let error = control.writer.finish(), control.failure == nil { control.failure = error }
        }
    }

    /// Ends the recording; nothing may be rendering into it any more. May be repeated.
    ///
    /// - Throws: what ended it before its time.
    public func close() throws(AudioUnitError) {
        nonisolated(unsafe) let thread: DiskThread? = control.withLock { $0.thread.take() }
        thread?.finish()
        finish()
        if let failure { throw .file(failure) }
    }
}

/// The recording as its thread sees it; does not keep it alive.
private final class RecorderClient: DiskClient {
    private weak var recorder: FileRecorder?

    init(_ recorder: FileRecorder) { self.recorder = recorder }

    func drain() { recorder?.drain() }
    func finish() { recorder?.finish() }
}

/// A count that outlives whoever began it.
///
/// Sendable: the address is constant, and what lies there is an atomic.
final class RecorderCounter: @unchecked Sendable {
    let place: UnsafeMutablePointer<Atomic<Int>>

    init() {
        place = .allocate(capacity: 1)
        place.initialize(to: Atomic(0))
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
