import Realtime

/// Says when a sample of the reference is heard: the playback thread's word to the capture thread.
struct ReferenceAnchor: BitwiseCopyable, Sendable {
    /// Index of a reference sample, counted in what was written to the ring.
    var index: Int64 = 0
    /// Host time at which it is heard, in seconds.
    var seconds = 0.0
    /// Reference samples a second of host time, as the playback clock really runs.
    var rate = 0.0
    /// Real over nominal rate of the playback clock; 0 until known.
    var rateRatio = 0.0
}

/// The capture thread's end of the reference.
struct ReferenceSource: ~Copyable {
    let ring: RingConsumer<Float>
    let anchors: TripleBufferReader<ReferenceAnchor>
}

/// The playback thread's end of the reference: samples, and when they are heard.
struct ReferenceWriter: ~Copyable {
    var ring: RingProducer<Float>
    var anchors: TripleBufferWriter<ReferenceAnchor>
    private var written: Int64 = 0
    private let rate: Double

    init(ring: consuming RingProducer<Float>, anchors: consuming TripleBufferWriter<ReferenceAnchor>, rate: Double) {
        self.ring = ring
        self.anchors = anchors
        self.rate = rate
    }

    /// Adds a slice whose first sample is heard at `seconds`.
    ///
    /// Samples that find no room (nobody captures) are not counted as written, so the next anchor tells the truth.
    @_noLocks
    mutating func write(_ samples: UnsafePointer<Float>, count: Int, heardAt seconds: Double, clock: DeviceClock) {
        let ratio = clock.rateRatio
        let anchor = ReferenceAnchor(
            index: written, seconds: seconds, rate: rate * (ratio ?? 1), rateRatio: ratio ?? 0)
        // The samples first: an anchor never speaks of what is not there yet.
        written &+= Int64(ring.write(samples, count: count))
        anchors.publish(anchor)
    }
}
