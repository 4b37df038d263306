import Realtime
import Synchronization

/// The microphone's side of an I/O unit as a source in its graph: from the capture thread by a ring to the playback thread.
///
/// Both threads run by one device clock, but in blocks of their own sizes. Reading therefore begins when the largest
/// captured block and the most that a played block asks for are there; from then on it never runs dry, in whatever order
/// the blocks come, and what is heard is that much older. Where the clocks differ after all (input and output on two
/// devices), or a thread stood still, more than twice that reserve is cut back to it and counted as `droppedInputFrames`,
/// and an empty line is filled to the reserve again, in silence, counted as `zeroFilledFrames`.
///
/// Nothing is collected while nobody reads. Belongs to the unit; `open` and `close` only while the device stands still.
///
/// Sendable: `open` and `close` run only while the device stands still; in between one thread has each end.
final class InputLine: @unchecked Sendable {
    /// The reading end, at an address that render callbacks keep.
    private struct Head {
        var reader: UnsafeMutablePointer<InputLineReader>?
    }

    private let head: UnsafeMutablePointer<Head>
    private(set) var writer: UnsafeMutablePointer<InputLineWriter>?

    init() {
        head = .allocate(capacity: 1)
        head.initialize(to: Head())
    }

    deinit {
        close()
        head.deallocate()
    }

    /// Makes the ring for captured and played blocks of up to `largestBlock` frames of `format`.
    func open(
        format: StreamFormat, largestBlock: Int, meters: UnsafePointer<UnitMeters>
    ) throws(AudioUnitError) {
        close()
        let channels = format.channels
        let ring: RingEnds<Float>
        do {
            ring = try RingEnds(minimumCapacity: 8 * largestBlock * channels)
        } catch {
            throw .noResources(reason: "\(error)")
        }
        let flow = InputLineFlow()
        let writing = UnsafeMutablePointer<InputLineWriter>.allocate(capacity: 1)
        writing.initialize(
            to: InputLineWriter(ring: ring.producer, flow: flow, channels: channels, maximumFrames: largestBlock))
        writer = writing
        let reading = UnsafeMutablePointer<InputLineReader>.allocate(capacity: 1)
        reading.initialize(
            to: InputLineReader(ring: ring.consumer, flow: flow, channels: channels, meters: meters))
        head.pointee.reader = reading
    }

    func close() {
        writer?.deinitialize(count: 1)
        writer?.deallocate()
        writer = nil
        head.pointee.reader?.deinitialize(count: 1)
        head.pointee.reader?.deallocate()
        head.pointee.reader = nil
    }

    /// The playback thread's end, while the line is open.
    var reader: UnsafeMutablePointer<InputLineReader>? { head.pointee.reader }

    /// Renders what the microphone heard, as interleaved Float32; keeps the line alive.
    var callback: RenderCallback {
        RenderCallback(context: UnsafeMutableRawPointer(head), owner: self) { context, slice in
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            guard let reader = context.assumingMemoryBound(to: Head.self).pointee.reader else {
                slice.pointee.outputIsSilence = true
                return
            }
            reader.pointee.read(&slice.pointee)
        }
    }

    /// What the callback fills when the input element has `format`.
    static func sourceFormat(_ format: StreamFormat) -> StreamFormat {
        StreamFormat(sampleRate: format.sampleRate, channels: format.channels, interleaved: format.channels > 1)
    }
}

/// What both ends of an `InputLine` know of each other.
///
/// Sendable: the address is constant, and what lies there are atomics.
final class InputLineFlow: @unchecked Sendable {
    struct State: ~Copyable {
        /// Whether the reader takes what is written; the writer withdraws it when the ring is full.
        let isRead = Atomic<Bool>(false)
        /// The most frames written at once so far.
        let largestBlock = Atomic<Int>(0)
    }

    let state: UnsafeMutablePointer<State>

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }
}

/// The capture thread's end.
struct InputLineWriter: ~Copyable {
    private var ring: RingProducer<Float>
    private let flow: InputLineFlow
    private let state: UnsafeMutablePointer<InputLineFlow.State>
    private let channels: Int
    private let frames: Planes

    init(ring: consuming RingProducer<Float>, flow: InputLineFlow, channels: Int, maximumFrames: Int) {
        self.ring = ring
        self.flow = flow
        state = flow.state
        self.channels = channels
        frames = Planes(channels: channels, stride: maximumFrames)
    }

    deinit { frames.free() }

    /// Takes `frames` frames in runs `stride` samples apart; a block that does not fit is left out as a whole.
    @_noLocks
    mutating func write(_ source: UnsafePointer<Float>, stride: Int, frames count: Int) {
        guard state.pointee.isRead.load(ordering: .acquiring) else { return }
        guard ring.room(wanted: count &* channels) >= count &* channels else {
            state.pointee.isRead.store(false, ordering: .releasing)
            return
        }
        if count > state.pointee.largestBlock.load(ordering: .relaxed) {
            state.pointee.largestBlock.store(count, ordering: .relaxed)
        }
        guard channels > 1 else {
            _ = ring.write(source, count: count)
            return
        }
        var done = 0
        while done < count {
            // Hardware that came back in another format may have longer blocks.
            let part = min(count &- done, frames.stride)
            for channel in 0..<channels {
                let run = source + (channel &* stride &+ done)
                for index in 0..<part { frames.base[index &* channels &+ channel] = run[index] }
            }
            _ = ring.write(frames.base, count: part &* channels)
            done &+= part
        }
    }
}

/// The playback thread's end.
struct InputLineReader: ~Copyable {
    private var ring: RingConsumer<Float>
    private let flow: InputLineFlow
    private let state: UnsafeMutablePointer<InputLineFlow.State>
    private let channels: Int
    private let meters: UnsafePointer<UnitMeters>
    /// Frames asked for in this block of the device, and the most in one so far.
    private var asked = 0
    private var largestAsk = 0
    private var isFilled = false

    init(
        ring: consuming RingConsumer<Float>, flow: InputLineFlow, channels: Int, meters: UnsafePointer<UnitMeters>
    ) {
        self.ring = ring
        self.flow = flow
        state = flow.state
        self.channels = channels
        self.meters = meters
    }

    /// The device wants a block: all slices of it are asked for at once.
    @_noLocks
    mutating func beginBlock() { asked = 0 }

    /// Fills the slice with the next frames.
    @_noLocks
    mutating func read(_ slice: inout RenderSlice) {
        let frames = slice.frames
        asked &+= frames
        if asked > largestAsk { largestAsk = asked }
        if !state.pointee.isRead.load(ordering: .acquiring) {
            // What lies there is from before somebody read last.
            ring.consume(ring.available(wanted: Int(bitPattern: ring.capacity)))
            isFilled = false
            state.pointee.isRead.store(true, ordering: .releasing)
        }
        var waiting = ring.available(wanted: Int(bitPattern: ring.capacity)) / channels
        let block = state.pointee.largestBlock.load(ordering: .relaxed)
        let reserve = block &+ largestAsk
        if !isFilled {
            guard block > 0, waiting >= reserve else {
                slice.outputIsSilence = true
                return
            }
            isFilled = true
        }
        let surplus = waiting &- reserve
        // The block that just came on top of the reserve is no surplus.
        if surplus > reserve {
            ring.consume(surplus &* channels)
            meters.pointee.droppedInputFrames.wrappingAdd(surplus, ordering: .relaxed)
            waiting &-= surplus
        }
        let count = min(frames, waiting)
        _ = ring.read(into: slice.buffer, count: count &* channels)
        slice.producedFrames = count
        if count < frames { isFilled = false }
    }
}
