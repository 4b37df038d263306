/// Where every sample came from, and where every shift of the delay: integers that must add up.
///
/// Two sums are kept. *Samples*: what was pulled is silence before the stream, sound from packets, sound invented, and what
/// stretching put in or took out. *Time*: the sound written since the stream began is the media it stands for, what
/// stretching changed, and the shifts of gaps and pauses.
package struct PlayoutLedger: Sendable, Equatable {
    /// Samples pulled.
    package internal(set) var pulled: Int64 = 0
    /// Silence pulled while nothing could be played.
    package internal(set) var silent: Int64 = 0
    /// Samples written to the queue, by what they were made of.
    package internal(set) var decoded: Int64 = 0
    package internal(set) var redundant: Int64 = 0
    package internal(set) var corrected: Int64 = 0
    package internal(set) var concealed: Int64 = 0
    package internal(set) var comfortNoise: Int64 = 0
    /// Samples that stretching put in and took out, those left out to join two sounds included.
    package internal(set) var inserted: Int64 = 0
    package internal(set) var removed: Int64 = 0
    /// Samples by which gaps and pauses raised the delay, or lowered it (negative).
    package internal(set) var shifted: Int64 = 0

    /// What the difference of sound and media was when the present stream began.
    private var origin: Int64 = 0

    init() {}

    private var made: Int64 { decoded + redundant + corrected + concealed + comfortNoise }

    mutating func begin(at media: Int64) { origin = made - shifted - media }

    /// Adds samples under what they were made of.
    mutating func add(_ samples: Int, as reason: PlayoutReason) {
        let samples = Int64(samples)
        switch reason {
        case .fec: corrected += samples
        case .redundancy: redundant += samples
        case .concealShort, .concealLong: concealed += samples
        case .comfortNoise: comfortNoise += samples
        default: decoded += samples
        }
    }

    package func isBalanced(pending: Int64, media: Int64?) -> Bool {
        guard pulled + pending == silent + made + inserted - removed else { return false }
        return media.map { made - shifted - $0 == origin } ?? true
    }
}
