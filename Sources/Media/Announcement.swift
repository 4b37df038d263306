/// Audio that stands in for the microphone until it ends (`--play`), then lets the microphone through again.
package struct Announcement {
    private let samples: [Float]
    private var position = 0
    /// What follows the samples; `nil`: nothing.
    private let stream: (any SampleStream)?

    /// - Parameters:
    ///   - samples: what is sent first.
    ///   - stream: what is sent after them, read ahead; `nil`: nothing.
    package init(samples: [Float], stream: (any SampleStream)? = nil) { (self.samples, self.stream) = (samples, stream) }

    /// Whether there is audio left to send.
    package var isPlaying: Bool { position < samples.count || stream?.isOver == false }

    /// Writes the next samples over `frame`; a last, short piece leaves the rest of the frame to silence, and so does what was not read
    /// in time.
    package mutating func replace(_ frame: inout [Float]) {
        guard isPlaying else { return }
        let first = min(frame.count, samples.count - position)
        for i in 0..<first { frame[i] = samples[position + i] }
        position += first
        frame.withUnsafeMutableBufferPointer { frame in
            guard let rest = frame.baseAddress.map({ $0 + first }) else { return }
            let taken = stream?.take(into: rest, count: frame.count - first) ?? 0
            frame[(first + taken)...].update(repeating: 0)
        }
    }
}
