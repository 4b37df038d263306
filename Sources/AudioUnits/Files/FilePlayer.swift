public import AudioFiles
import Realtime

/// Where a file player is.
public struct FilePlayerPosition: Sendable, Equatable {
    /// Which of the player's files, from 0.
    public var file: Int
    /// Seconds from the beginning of that file.
    public var seconds: Double
    /// How often all files were played before.
    public var round: Int

    public init(file: Int = 0, seconds: Double = 0, round: Int = 0) {
        self.file = file
        self.seconds = seconds
        self.round = round
    }
}

/// Plays audio files: one or several after the other, once, several times or for ever, without a gap between them.
///
/// A thread of its own reads ahead by 2 s, so that the render thread never touches the disk; what it does not find there is
/// silence, and counted. With `Reading.manual` there is no such thread: the application calls `fill()` before it pulls, and
/// whatever the speed, every sample is there. Several at once are several players into a `MultichannelMixer`.
///
/// Order: `setFiles`, `initialize()` (which reads the first 2 s), `play()`. The output has the first file's rate and as many
/// channels as the widest file; other files, and all of them when another output format is set afterwards, are converted
/// while they are read.
///
/// Sendable: its settings are behind a lock, and the feed is safe from any thread.
public final class FilePlayer: ProcessingUnit, @unchecked Sendable {
    /// Who reads the files.
    public enum Reading: Sendable {
        /// A thread of the player's own.
        case automatic
        /// The application, by `fill()`.
        case manual
    }

    /// Sendable: used under its owner's lock alone.
    private struct Control: @unchecked Sendable {
        var paths: [String] = []
        var seconds: [Double?] = []
        var rounds: Int? = 1
        var position = FilePlayerPosition()
        var reading = Reading.automatic
        var thread: DiskThread?
        var endHandler: (@Sendable () -> Void)?
        var isReady = false
    }

    private let feed = FileFeed(state: FilePlayerStateBox())
    private let control = Lock(Control())
    private var shared: UnsafeMutablePointer<FilePlayerState> { feed.state.place }

    /// How far it reads ahead, in seconds.
    public static let aheadSeconds = 2.0

    public init() {
        super.init(shape: UnitShape(component: .filePlayer, inputElements: 0...0, formats: .source))
    }

    /// A player of one file.
    public convenience init(path: String) throws(AudioUnitError) {
        self.init()
        try setFiles([path])
    }

    deinit { kernelEnded() }

    /// Chooses what is played, one after the other, and sets the output format to theirs; before `initialize()`.
    public func setFiles(_ paths: [String]) throws(AudioUnitError) {
        guard !paths.isEmpty else { throw .noFile }
        var (rate, channels, seconds) = (0, 1, [Double?]())
        for path in paths {
            let reader = try open(path, rate: nil, channels: nil)
            guard reader.fileFrames != 0 else { throw .file(AudioFileError(path: path, reason: "it holds no sound")) }
            if rate == 0 { rate = reader.fileRate }
            channels = max(channels, reader.fileChannels)
            seconds.append(reader.seconds)
        }
        let most = StreamFormat.channelCounts.upperBound
        try setFormat(
            StreamFormat(sampleRate: Double(rate), channels: min(channels, most)), scope: .output, element: 0)
        control.withLock {
            $0.paths = paths
            $0.seconds = seconds
            $0.position = FilePlayerPosition()
        }
    }

    /// Chooses how often all files are played, 1 by default; nil: for ever. Before `initialize()`.
    public func setLoopCount(_ count: Int?) throws(AudioUnitError) {
        if let count, count < 1 { throw .outOfRange(setting: "loop count", allowed: "1 or more, or none for ever") }
        try settle("loop count") { $0.rounds = count }
    }

    /// Chooses who reads the files; before `initialize()`.
    public func setReading(_ reading: Reading) throws(AudioUnitError) {
        try settle("reading") { $0.reading = reading }
    }

    /// Has `handler` called once everything was played: on a thread of its own, where it may use the graph, or in `fill()`. Before
    /// `initialize()`.
    public func setEndHandler(_ handler: (@Sendable () -> Void)?) throws(AudioUnitError) {
        try settle("end handler") { $0.endHandler = handler }
    }

    /// Plays, or goes on.
    public func play() { shared.pointee.isPlaying.store(true, ordering: .releasing) }

    /// Stands still where it is.
    public func pause() { shared.pointee.isPlaying.store(false, ordering: .releasing) }

    /// Whether it was told to play; still true at the end.
    public var isPlaying: Bool { shared.pointee.isPlaying.load(ordering: .relaxed) }

    /// Whether everything was played.
    public var hasEnded: Bool { shared.pointee.hasEnded.load(ordering: .acquiring) }

    /// What is heard next.
    public var position: FilePlayerPosition { feed.position ?? control.withLock { $0.position } }

    /// Goes elsewhere, at any time; beyond the end of a file is its end.
    public func seek(to position: FilePlayerPosition) throws(AudioUnitError) {
        let count = control.withLock { $0.paths.count }
        guard position.file >= 0, position.file < count, position.seconds >= 0, position.round >= 0 else {
            throw .outOfRange(setting: "position", allowed: "0 s or later in one of the \(count) files")
        }
        let place = control.withLock { control in
            control.position = position
            // Of a file whose length only playing it will tell, the number that was asked for is told.
            if control.seconds.indices.contains(position.file), let length = control.seconds[position.file] {
                control.position.seconds = min(position.seconds, length)
            }
            return control.position
        }
        feed.seek(to: place)
    }

    /// Length of each file, in seconds; nil where only playing it will tell.
    public var seconds: [Double?] { control.withLock { $0.seconds } }

    /// Times the disk was too slow, and frames of silence that took.
    public var underruns: (count: Int, frames: Int) {
        (
            shared.pointee.underruns.load(ordering: .relaxed), shared.pointee.underrunFrames.load(ordering: .relaxed)
        )
    }

    /// What was found to be wrong with files while they were read; they are played as far as that goes.
    public var damages: [AudioFileError] { feed.damages }

    /// Reads ahead, for `Reading.manual`: before each pull, off the render thread. One pull takes no more than
    /// `aheadSeconds` of the files.
    public func fill() { feed.fill()?() }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let settings = control.withLock { control in
            (control.paths, control.rounds, control.position, control.reading, control.endHandler)
        }
        let (paths, rounds, position, reading, endHandler) = settings
        guard !paths.isEmpty else { throw .noFile }
        let (rate, channels) = (layout.output.sampleRate, layout.output.channels)
        var readers: [AudioFileReader] = []
        for path in paths { readers.append(try open(path, rate: Int(rate), channels: channels)) }
        let ends: RingEnds<Float>
        do {
            ends = try RingEnds<Float>(minimumCapacity: Int(rate * Self.aheadSeconds) * channels)
        } catch {
            throw .noResources(reason: "\(error)")
        }
        feed.connect(
            ends.producer, readers: readers, rounds: rounds, rate: rate, channels: channels, at: position,
            onEnd: endHandler)
        let kernel = FilePlayerKernel(layout, ring: ends.consumer, box: feed.state)
        if reading == .automatic { try startThread() }
        control.withLock { $0.isReady = true }
        return RenderKernel(kernel) { context, slice, _ in
            context.assumingMemoryBound(to: FilePlayerKernel.self).pointee.render(
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee)
        }
    }

    public override func kernelEnded() {
        nonisolated(unsafe) let thread: DiskThread? = control.withLock { control in
            if control.isReady, let position = feed.position { control.position = position }
            control.isReady = false
            return control.thread.take()
        }
        thread?.finish()
        feed.disconnect()
    }

    private func startThread() throws(AudioUnitError) {
        let thread = DiskThread(name: "file-player", clients: [feed], intervalMilliseconds: 50)
        do { try thread.start() } catch { throw .noResources(reason: "\(error)") }
        nonisolated(unsafe) let started = thread
        control.withLock { $0.thread = started }
    }

    private func open(_ path: String, rate: Int?, channels: Int?) throws(AudioUnitError) -> AudioFileReader {
        do { return try AudioFileReader(path: path, rate: rate, channels: channels) } catch { throw .file(error) }
    }

    private func settle(_ setting: String, _ change: (inout Control) -> Void) throws(AudioUnitError) {
        let isReady = control.withLock { control in
            if !control.isReady { change(&control) }
            return control.isReady
        }
        if isReady { throw .initialized(setting: setting) }
    }
}
