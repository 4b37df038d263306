public import AudioFiles
import Realtime

/// Hands on what feeds it, unchanged, and records it in an audio file whose format follows from the name's ending.
///
/// `initialize()` creates the file, in the rate and channels that reach the unit; a later `initialize()` goes on in the same
/// file. `close()` completes it; to record again, `setFile` names another. The disk is left to a thread (`FileRecorder`), or
/// with `setManual` to the application.
///
/// Sendable: its settings are behind a lock.
public final class FileWriter: ProcessingUnit, @unchecked Sendable {
    private struct Control {
        var path: String?
        var depth = AudioFileDepth.int16
        var isManual = false
        var recorder: FileRecorder?
    }

    private let control = Lock(Control())

    public init() { super.init(shape: UnitShape(component: .fileWriter)) }

    /// A writer of the file at `path`.
    public convenience init(path: String, depth: AudioFileDepth = .int16) {
        self.init()
        control.withLock { ($0.path, $0.depth) = (path, depth) }
    }

    /// Chooses the file, before the first `initialize()`, or after `close()` and `uninitialize()`.
    public func setFile(_ path: String, depth: AudioFileDepth = .int16) throws(AudioUnitError) {
        try settle("file") { ($0.path, $0.depth) = (path, depth) }
    }

    /// Leaves writing to the application, which calls `drain()` after it has pulled; when `setFile` may be called.
    public func setManual(_ isManual: Bool) throws(AudioUnitError) {
        try settle("manual writing") { $0.isManual = isManual }
    }

    /// The recording: its figures and what ended it; nil before `initialize()`.
    public var recorder: FileRecorder? { control.withLock { $0.recorder } }

    /// Writes what waits, when writing is left to the application.
    public func drain() { recorder?.drain() }

    /// Ends the recording; nothing may be rendering any more. May be repeated; `dispose()` and the unit's end do it too.
    ///
    /// - Throws: what ended it before its time.
    public func close() throws(AudioUnitError) { try recorder?.close() }

    private struct Kernel: ~Copyable {
        var inlet: RecorderInlet

        @_noLocks
        mutating func render(_ slice: inout RenderSlice, _ inputs: UnitInputs) {
            let sounds = inputs.pull(
                0, into: slice.buffer, channelStride: slice.channelByteStride / MemoryLayout<Float>.stride,
                frames: slice.frames, time: slice.time)
            if !sounds { slice.outputIsSilence = true }
            inlet.take(slice)
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let recorder = try recorder(for: layout.output)
        let kernel = Kernel(inlet: try recorder.makeInlet(maximumFrames: layout.maximumFrames))
        return RenderKernel(kernel) { context, slice, inputs in
            context.assumingMemoryBound(to: Kernel.self).pointee.render(
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }

    public override func kernelEnded() {
        if state == .disposed { try? close() }
    }

    private func recorder(for format: StreamFormat) throws(AudioUnitError) -> FileRecorder {
        let (present, path, depth, isManual) = control.withLock { ($0.recorder, $0.path, $0.depth, $0.isManual) }
        if let present {
            guard present.format == format || present.isFinished else {
                throw .formatUnsupported(format, reason: "the recording was begun in another format")
            }
            return present
        }
        guard let path else { throw .noFile }
        let new = try FileRecorder(path: path, format: format, depth: depth, onThread: !isManual)
        control.withLock { $0.recorder = new }
        return new
    }

    private func settle(_ setting: String, _ change: (inout Control) -> Void) throws(AudioUnitError) {
        let isInitialized = state == .initialized
        let isOpen = control.withLock { control in
            if let recorder = control.recorder {
                guard recorder.isFinished, !isInitialized else { return true }
                // The closed file must not be begun anew.
                control.recorder = nil
                control.path = nil
            }
            change(&control)
            return false
        }
        if isOpen { throw .initialized(setting: setting) }
    }
}
