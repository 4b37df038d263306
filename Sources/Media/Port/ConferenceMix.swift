/// What several say at once, added up once: each hears the sum without himself.
///
/// ```
/// voices -> add -> sum;  sum - own voice -> limited -> who said it
/// ```
/// For as many as there are it costs two additions a sample and party, where a mix for each would cost as many as there are others.
public struct ConferenceMix {
    private var sum: [Float]
    private var mixed: [Float]
    private var shared: [Float]
    private var isCommonMade = false
    /// Voices in the frame at hand.
    public private(set) var voices = 0

    /// - Parameter frameLength: samples of a frame.
    public init(frameLength: Int) {
        sum = [Float](repeating: 0, count: frameLength)
        mixed = sum
        shared = sum
    }

    /// Begins the next frame.
    public mutating func begin() {
        for index in sum.indices { sum[index] = 0 }
        voices = 0
        isCommonMade = false
    }

    /// Adds a voice to the frame; shorter ones end in silence.
    public mutating func add(_ voice: UnsafeBufferPointer<Float>) {
        for index in 0..<min(sum.count, voice.count) { sum[index] += voice[index] }
        voices += 1
    }

    /// Hands out what whoever said `voice` hears: everybody else.
    public mutating func without(_ voice: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void) {
        let common = min(sum.count, voice.count)
        for index in 0..<common { mixed[index] = sum[index] - voice[index] }
        for index in common..<sum.count { mixed[index] = sum[index] }
        if voices > 2 { Mixer.limit(&mixed) }
        mixed.withUnsafeBufferPointer(body)
    }

    /// Hands out what all who said nothing hear: everybody who did. The same samples however often it is asked.
    public mutating func common(_ body: (UnsafeBufferPointer<Float>) -> Void) {
        if !isCommonMade {
            isCommonMade = true
            for index in sum.indices { shared[index] = sum[index] }
            if voices > 1 { Mixer.limit(&shared) }
        }
        shared.withUnsafeBufferPointer(body)
    }
}
