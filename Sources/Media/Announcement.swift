/// Audio that stands in for the microphone until it ends (`--play`), then lets the microphone through again.
package struct Announcement {
    private let samples: [Float]
    private var position = 0

    package init(samples: [Float]) { self.samples = samples }

    /// Whether there is audio left to send.
    package var isPlaying: Bool { position < samples.count }

    /// Writes the next samples over `frame`; a last, short piece leaves the rest of the frame to silence.
    package mutating func replace(_ frame: inout [Float]) {
        guard isPlaying else { return }
        for i in 0..<frame.count {
            frame[i] = position + i < samples.count ? samples[position + i] : 0
        }
        position += frame.count
    }
}
