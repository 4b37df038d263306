/// What each party of a conference is sent: the microphone and every party but itself, kept inside full scale.
///
/// Parties are heard in blocks, as the loudspeaker wants them, and sent in frames, as the microphone gives them; both by the
/// device's clock. Each party's voice waits in a line between the two: sending begins when a frame and a block are there,
/// and a line that grew to twice that is cut back. A line that runs dry, because a device asks in bursts, begins again with
/// a block more in reserve, up to four times as much. A party that is not there is silence.
///
/// Where parties are heard a frame at a time, right before it is sent on, nothing waits: there is no reserve.
package struct ConferenceBridge {
    private let frameLength: Int
    private let block: Int
    /// What a line holds before sending begins.
    private let reserve: Int
    private var lines: [PartyLine] = []
    private var frames: [[Float]] = []
    /// Parties who are not heard, and whose frame at hand is silence.
    private var isSilenced: [Bool] = []
    private var isEmpty: [Bool] = []
    private var mixed: [Float]

    /// - Parameters:
    ///   - frameLength: samples of a frame sent.
    ///   - block: samples of a block heard.
    ///   - isHeardByFrames: whether all parties are heard right before each frame, for as long as it is.
    package init(frameLength: Int, block: Int, isHeardByFrames: Bool = false) {
        self.frameLength = frameLength
        self.block = block
        reserve = isHeardByFrames ? frameLength : frameLength + block
        mixed = [Float](repeating: 0, count: frameLength)
    }

    /// Adds a party, which gets the next number from 0 on.
    package mutating func join() {
        lines.append(PartyLine(reserve: reserve, step: block))
        frames.append([Float](repeating: 0, count: frameLength))
        isSilenced.append(false)
        isEmpty.append(false)
    }

    /// Lets a party go; those after it move down by one.
    package mutating func leave(_ party: Int) {
        lines.remove(at: party)
        frames.remove(at: party)
        isSilenced.remove(at: party)
        isEmpty.remove(at: party)
    }

    /// Takes what was heard of a party.
    package mutating func add(_ block: UnsafeBufferPointer<Float>, of party: Int) { lines[party].write(block) }

    /// Says that a party's voice is silence from now on, and need not be added up; or no longer.
    package mutating func setSilenced(_ silenced: Bool, _ party: Int) { isSilenced[party] = silenced }

    /// Goes on by a frame: what all parties said in it.
    package mutating func nextFrame() {
        for party in lines.indices {
            lines[party].read(into: &frames[party])
            // What he said before may still be in the line.
            isEmpty[party] = isSilenced[party] && frames[party].allSatisfy { $0 == 0 }
        }
    }

    /// Hands out what `party` is to hear: `microphone`, and in the frame at hand all others.
    package mutating func mix(
        for party: Int, microphone: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void
    ) {
        for index in mixed.indices { mixed[index] = index < microphone.count ? microphone[index] : 0 }
        for other in frames.indices where other != party && !isEmpty[other] {
            frames[other].withUnsafeBufferPointer { Mixer.add($0, to: &mixed) }
        }
        if lines.count > 1 { Mixer.limit(&mixed) }
        mixed.withUnsafeBufferPointer(body)
    }
}

/// A party's voice between hearing and sending on.
private struct PartyLine {
    private var reserve: Int
    private let most: Int
    private let step: Int
    private var samples: [Float]
    private var start = 0
    private var count = 0
    private var isFilled = false

    init(reserve: Int, step: Int) {
        self.reserve = reserve
        most = 4 * reserve
        self.step = step
        samples = [Float](repeating: 0, count: 3 * most)
    }

    mutating func write(_ block: UnsafeBufferPointer<Float>) {
        for sample in block {
            samples[(start + count) % samples.count] = sample
            if count < samples.count { count += 1 } else { start = (start + 1) % samples.count }
        }
    }

    mutating func read(into frame: inout [Float]) {
        if !isFilled, count >= reserve { isFilled = true }
        if count >= 2 * reserve { drop(count - reserve) }
        let taken = isFilled ? min(count, frame.count) : 0
        for index in 0..<taken { frame[index] = samples[(start + index) % samples.count] }
        for index in taken..<frame.count { frame[index] = 0 }
        drop(taken)
        guard isFilled, taken < frame.count else { return }
        isFilled = false
        reserve = min(most, reserve + step)
    }

    private mutating func drop(_ number: Int) {
        start = (start + number) % samples.count
        count -= number
    }
}
