import CALSA
import Glibc

/// Buffers of one direction's thread: device samples, Float32 samples, poll descriptors. Renewed with each stream,
/// never in a turn.
struct ALSAScratch: ~Copyable {
    let raw: UnsafeMutableRawPointer
    let samples: UnsafeMutablePointer<Float>
    /// The PCM's descriptors, then the wake signal's.
    let descriptors: UnsafeMutablePointer<pollfd>
    let descriptorCount: Int

    init(_ stream: ALSAStream, frames: Int, wake: Int32) {
        let count = max(frames, stream.buffer) * stream.channels
        raw = .allocate(byteCount: count * stream.sampleType.bytes, alignment: 16)
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: count * stream.sampleType.bytes)
        samples = .allocate(capacity: count)
        samples.initialize(repeating: 0, count: count)
        let wanted = max(Int(snd_pcm_poll_descriptors_count(stream.pcm)), 0)
        descriptors = .allocate(capacity: wanted + 1)
        descriptors.initialize(repeating: pollfd(), count: wanted + 1)
        descriptorCount = max(Int(snd_pcm_poll_descriptors(stream.pcm, descriptors, UInt32(wanted))), 0)
        descriptors[descriptorCount] = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    }

    deinit {
        raw.deallocate()
        samples.deallocate()
        descriptors.deallocate()
    }

    /// Waits for the wake signal alone; true when it came.
    @_noLocks
    func waitForWake(nanoseconds: Int64) -> Bool {
        let signal = descriptors + descriptorCount
        signal.pointee.revents = 0
        return calsa_poll(signal, 1, nanoseconds) > 0
    }

    /// Waits for the PCM or the wake signal. Negative: errno of poll; 0: nothing in time.
    @_noLocks
    func wait(nanoseconds: Int64) -> Int32 {
        descriptors[descriptorCount].revents = 0
        return calsa_poll(descriptors, UInt32(descriptorCount + 1), nanoseconds)
    }

    var isWoken: Bool { @_noLocks get { descriptors[descriptorCount].revents != 0 } }
}
