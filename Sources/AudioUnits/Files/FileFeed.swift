import AudioFiles
import Realtime
import Threads

/// The disk side of a file player: reads its files one after the other, as often as they are to be played, into the ring.
///
/// Everything under one lock, taken by the disk thread and the application; never by a render thread.
final class FileFeed: DiskClient, Sendable {
    /// Sendable: used under its owner's lock alone.
    private struct Control: @unchecked Sendable {
        var readers: [AudioFileReader] = []
        var rounds: Int?
        var startSeconds = 0.0
        /// The file that is read, and how often all were read before.
        var file = 0
        var round = 0
        var frames = 0
        var framesAtRound = 0
        var marks = PlaceMarks()
        var block: [Float] = []
        var channels = 1
        var rate = 48_000.0
        var isDone = false
        var endHandler: (@Sendable () -> Void)?
        var hasTold = false
    }

    let state: FilePlayerStateBox
    private let control = Lock(Control())
    private nonisolated(unsafe) var ring: RingProducer<Float>?

    /// Frames written at once.
    private static let block = 4096

    init(state: FilePlayerStateBox) { self.state = state }

    /// Takes a ring and files that deliver `channels` at `rate`, and goes on from `position`.
    func connect(
        _ ring: consuming RingProducer<Float>, readers: [AudioFileReader], rounds: Int?, rate: Double, channels: Int,
        at position: FilePlayerPosition, onEnd: (@Sendable () -> Void)?
    ) {
        nonisolated(unsafe) var ends = Optional(ring)
        nonisolated(unsafe) let files = readers
        control.withLock { control, leaving in
            leaving.take(control.endHandler)
            self.ring = ends.take()
            control.readers = files
            control.rounds = rounds
            control.rate = rate
            control.channels = channels
            control.endHandler = onEnd
            control.block = [Float](repeating: 0, count: Self.block * channels)
            control.frames = 0
            control.marks.removeAll()
            state.place.pointee.consumed.store(0, ordering: .relaxed)
            state.place.pointee.discardUntil.store(0, ordering: .relaxed)
            go(&control, to: position)
            fill(&control)
        }
    }

    /// Gives ring and files back.
    func disconnect() {
        control.withLock { control in
            ring = nil
            control.readers = []
        }
    }

    /// Tops the ring up, and tells the end.
    func drain() {
        guard let handler = fill() else { return }
        // Who uninitializes the player waits for the disk thread; the handler may be about to do just that.
        do { _ = try RealtimeThread(name: "file-end", owning: handler) { $0() } } catch { handler() }
    }

    /// Tops the ring up.
    /// - Returns: who is to hear of the end now.
    func fill() -> (@Sendable () -> Void)? {
        control.withLock { control in
            fill(&control)
            guard state.place.pointee.hasEnded.load(ordering: .acquiring), !control.hasTold else { return nil }
            control.hasTold = true
            return control.endHandler
        }
    }

    func finish() {}

    /// Goes elsewhere; what the ring holds of the old place is not heard.
    func seek(to position: FilePlayerPosition) {
        control.withLock { control in
            guard ring != nil else { return }
            go(&control, to: position)
            fill(&control)
        }
    }

    /// Where the render thread is.
    var position: FilePlayerPosition? {
        control.withLock { control in
            guard ring != nil else { return nil }
            let consumed = state.place.pointee.consumed.load(ordering: .acquiring)
            guard let mark = control.marks.place(at: consumed) else { return nil }
            let seconds = mark.seconds + Double(max(0, consumed - mark.frame)) / control.rate
            return FilePlayerPosition(file: mark.file, seconds: seconds, round: mark.round)
        }
    }

    /// What was found to be wrong with files so far, file by file.
    var damages: [AudioFileError] {
        control.withLock { control in
            control.readers.compactMap { reader in reader.damage.map { AudioFileError(path: reader.path, reason: $0) } }
        }
    }

    // MARK: under the lock

    private func go(_ control: inout Control, to position: FilePlayerPosition) {
        guard control.readers.indices.contains(position.file) else { return }
        control.file = position.file
        control.round = position.round
        control.isDone = false
        control.hasTold = false
        control.framesAtRound = -1
        control.readers[position.file].seek(toSeconds: position.seconds)
        // A mark that lies ahead of what is heard now would show the new place too early, but for the discarding.
        control.marks.removeAll()
        control.marks.append(
            PlaceMarks.Mark(
                frame: control.frames, file: position.file, seconds: position.seconds, round: position.round))
        state.place.pointee.end.store(.max, ordering: .relaxed)
        state.place.pointee.hasEnded.store(false, ordering: .relaxed)
        state.place.pointee.discardUntil.store(control.frames, ordering: .releasing)
    }

    private func fill(_ control: inout Control) {
        guard ring != nil else { return }
        while !control.isDone {
            let channels = control.channels
            let room = (ring?.room(wanted: Self.block * channels) ?? 0) / channels
            let wanted = min(room, Self.block)
            guard wanted > 0 else { return }
            let reader = control.readers[control.file]
            let samples = control.block.withUnsafeMutableBufferPointer { block in
                let got = reader.read(into: UnsafeMutableBufferPointer(rebasing: block[..<(wanted * channels)]))
                if got > 0, let base = block.baseAddress { _ = ring?.write(base, count: got) }
                return got
            }
            control.frames += samples / channels
            if samples < wanted * channels { nextFile(&control) }
        }
    }

    private func nextFile(_ control: inout Control) {
        control.file += 1
        if control.file == control.readers.count {
            control.file = 0
            if control.round < .max { control.round += 1 }
            // Files without a sample would be read for ever.
            let isEmpty = control.framesAtRound == control.frames
            control.framesAtRound = control.frames
            if isEmpty || control.rounds.map({ control.round >= $0 }) ?? false {
                control.isDone = true
                state.place.pointee.end.store(control.frames, ordering: .releasing)
                return
            }
        }
        control.readers[control.file].rewind()
        // Nobody may ever ask for the position: what was heard is forgotten here too.
        _ = control.marks.place(at: state.place.pointee.consumed.load(ordering: .acquiring))
        control.marks.append(
            PlaceMarks.Mark(frame: control.frames, file: control.file, seconds: 0, round: control.round))
    }
}
