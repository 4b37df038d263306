import AudioUnits
import Media

/// Places the parties of a conference around the listener: their voices in, a headset's two channels out.
///
/// A graph of its own, pulled by the media thread: a `Mixer3D` (spherical head), each party 1 m away, the first on the left.
public final class HeadsetMixer: PlacingMixer {
    /// Parties there may be.
    public static let maximumParties = 8
    public var maximumParties: Int { Self.maximumParties }

    private let output = GenericOutput()
    private let mixer = Mixer3D()
    private let graph: AudioGraph
    private let voices: UnsafeMutablePointer<Float>
    private let mixed: UnsafeMutableBufferPointer<Float>
    private let block: Int
    private var parties = 0

    /// - Parameters:
    ///   - sampleRate: of voices and headset, Hz.
    ///   - block: samples of a voice mixed at once.
    public init(sampleRate: Int, block: Int) throws(CallError) {
        self.block = block
        voices = .allocate(capacity: Self.maximumParties * block)
        voices.initialize(repeating: 0, count: Self.maximumParties * block)
        mixed = .allocate(capacity: 2 * block)
        mixed.initialize(repeating: 0)
        graph = AudioGraph(output: output)
        let rate = Double(sampleRate)
        do {
            try mixer.setInputElements(Self.maximumParties)
            try mixer.setFormat(StreamFormat(sampleRate: rate, channels: 2), scope: .output, element: 0)
            try output.setFormat(
                StreamFormat(sampleRate: rate, channels: 2, interleaved: true), scope: .output, element: 0)
            try graph.setMaximumFramesPerSlice(block)
            try output.setMaximumFramesPerSlice(block)
            for party in 0..<Self.maximumParties {
                try mixer.setEnabled(false, input: party)
                try graph.connect(voice(party), format: StreamFormat(sampleRate: rate), to: mixer, input: party)
            }
            try graph.connect(mixer, to: output)
            try graph.initialize()
        } catch {
            throw .audioUnit(error)
        }
    }

    deinit {
        graph.dispose()
        voices.deallocate()
        mixed.deallocate()
    }

    /// Degrees from straight ahead, right positive, of each of so many parties.
    public static func azimuths(parties: Int) -> [Double] {
        guard parties > 1 else { return parties == 1 ? [0] : [] }
        let side = parties == 2 ? 45.0 : 60.0
        return (0..<parties).map { -side + 2 * side * Double($0) / Double(parties - 1) }
    }

    /// Adds a party, which gets the next number from 0 on; the others move aside.
    public func join() {
        guard parties < Self.maximumParties else { return }
        parties += 1
        place()
    }

    /// Lets a party go; those after it move down by one, and all get new places.
    public func leave(_ party: Int) {
        guard party < parties else { return }
        parties -= 1
        let left = voices + party * block
        left.update(from: left + block, count: (parties - party) * block)
        (voices + parties * block).update(repeating: 0, count: block)
        try? mixer.setEnabled(false, input: parties)
        place()
    }

    private func place() {
        for (party, azimuth) in Self.azimuths(parties: parties).enumerated() {
            try? mixer.setPosition(SpatialPosition(azimuth: azimuth), input: party)
            try? mixer.setEnabled(true, input: party)
        }
    }

    /// Takes a party's next block.
    public func set(_ samples: UnsafeBufferPointer<Float>, of party: Int) {
        guard party < Self.maximumParties else { return }
        let place = voices + party * block
        for index in 0..<block { place[index] = index < samples.count ? samples[index] : 0 }
    }

    /// Mixes the blocks at hand into left and right by turns, two samples a frame.
    public func render(into headset: inout [Float]) {
        let isMixed = render()
        for index in headset.indices { headset[index] = isMixed ? mixed[index] : 0 }
    }

    private func render() -> Bool {
        do throws(AudioUnitError) {
            try output.render(into: UnsafeMutableRawBufferPointer(mixed), frames: block)
            return true
        } catch {
            return false
        }
    }

    private func voice(_ party: Int) -> RenderCallback {
        nonisolated(unsafe) let place = voices + party * block
        let block = block
        return RenderCallback { slice in
            let count = min(slice.frames, block)
            for index in 0..<count { slice.buffer[index] = place[index] }
            slice.producedFrames = count
        }
    }
}
