import CALSA
import Glibc
import Realtime

/// Buffers of one stream: device samples, Float32 samples, and the descriptors a capturing thread polls. Renewed with each
/// stream, never in a turn.
///
/// A handle, not an owner: who made it disposes of it.
struct ALSAScratch: BitwiseCopyable {
    let raw: UnsafeMutableRawPointer
    let samples: UnsafeMutablePointer<Float>
    /// The PCM's descriptors, then the wake signals'.
    private let descriptors: UnsafeMutablePointer<pollfd>
    private let pcmCount: Int
    private let wakeCount: Int

    init(_ stream: ALSAStream, frames: Int, wakes: [EventSignal] = []) {
        let count = max(frames, stream.buffer) * stream.channels
        raw = .allocate(byteCount: count * stream.sampleType.bytes, alignment: 16)
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: count * stream.sampleType.bytes)
        samples = .allocate(capacity: count)
        samples.initialize(repeating: 0, count: count)
        let wanted = max(Int(snd_pcm_poll_descriptors_count(stream.pcm)), 0)
        descriptors = .allocate(capacity: wanted + wakes.count)
        descriptors.initialize(repeating: pollfd(), count: wanted + wakes.count)
        pcmCount = max(Int(snd_pcm_poll_descriptors(stream.pcm, descriptors, UInt32(wanted))), 0)
        wakeCount = wakes.count
        for (index, wake) in wakes.enumerated() {
            descriptors[pcmCount + index] = pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
    }

    func dispose() {
        raw.deallocate()
        samples.deallocate()
        descriptors.deallocate()
    }

    /// Waits for a wake signal and, unless `wakesOnly`, for the PCM: which of the two came.
    @_noLocks
    func wait(nanoseconds: Int64, wakesOnly: Bool) -> (pcm: Bool, wake: Bool) {
        let first = wakesOnly ? pcmCount : 0
        let ready = calsa_poll(descriptors + first, UInt32(pcmCount &+ wakeCount &- first), nanoseconds)
        if ready <= 0 { return (false, false) }
        var woken: Int32 = 0
        for index in 0..<wakeCount where descriptors[pcmCount &+ index].revents != 0 { woken &+= 1 }
        return (ready > woken, woken > 0)
    }

    /// What the descriptors' events mean for the PCM: poll's bits, or a negative errno.
    @_noLocks
    func events(of pcm: OpaquePointer) -> Int32 { calsa_events(pcm, descriptors, UInt32(pcmCount)) }
}
