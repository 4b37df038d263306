import Codecs

/// One encoder for all who are sent the same samples in the same codec with the same settings.
final class SharedEncoder {
    private let sending: SendingFormat
    private let protection: RedundancyLadder.Protection
    private let complexity: Int
    private let encoder: any AudioEncoder
    @exclusivity(unchecked) private var payload: [UInt8]
    /// Bytes of the frame at hand; `nil`: it is not encoded yet, or could not be.
    @exclusivity(unchecked) private var length: Int?
    @exclusivity(unchecked) private var isEncoded = false
    /// Frames since somebody last asked.
    @exclusivity(unchecked) fileprivate private(set) var idleFrames = 0

    /// Goes on where `own` is, so that its listener's decoder hears no seam.
    init?(
        _ sending: SendingFormat, _ protection: RedundancyLadder.Protection, complexity: Int, from own: any AudioEncoder
    ) {
        guard
            let encoder = try? makeEncoder(
                sending.format.codec, settings: sending.encoder, sampleRate: sending.format.sampleRate)
        else { return nil }
        encoder.setBitrate(protection.bitrate)
        encoder.setExpectedLoss(percent: protection.expectedLossPercent)
        guard encoder.goOn(from: own) else { return nil }
        (self.sending, self.protection, self.complexity, self.encoder) = (sending, protection, complexity, encoder)
        payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
    }

    fileprivate func serves(
        _ sending: SendingFormat, _ protection: RedundancyLadder.Protection, complexity: Int
    ) -> Bool {
        self.sending.format.sharesDecoder(with: sending.format) && self.sending.encoder == sending.encoder
            && self.complexity == complexity && self.protection.bitrate == protection.bitrate
            && self.protection.expectedLossPercent == protection.expectedLossPercent
    }

    fileprivate func begin() {
        isEncoded = false
        idleFrames += 1
    }

    /// Whether a packet of this codec depends on those before it.
    var hasMemory: Bool { encoder.hasMemory }

    /// Whether another one that hears the same says nearly the same after a while.
    var forgets: Bool { encoder.forgets }

    /// Has `own` go on where this one is.
    func handOver(to own: any AudioEncoder) { _ = own.goOn(from: encoder) }

    /// Encodes the frame at hand, once for all who ask.
    /// - Returns: whether it was done just now.
    fileprivate func encode(_ frame: UnsafeBufferPointer<Float>) -> Bool {
        idleFrames = 0
        guard !isEncoded else { return false }
        isEncoded = true
        length = payload.withUnsafeMutableBytes { try? encoder.encode(frame, into: $0) }
        return true
    }

    /// Copies what the frame at hand became into `target`.
    /// - Returns: bytes; 0 in a pause; `nil`: it could not be encoded, or has no room.
    func copy(into target: inout [UInt8]) -> Int? {
        guard let length, length <= target.count else { return nil }
        target.withUnsafeMutableBytes { target in
            payload.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        }
        return length
    }

    /// Whether the frame at hand became these bytes.
    func made(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let length, length == bytes.count else { return false }
        return payload.withUnsafeBytes { ours in (0..<length).allSatisfy { ours[$0] == bytes[$0] } }
    }
}

/// The shared encoders of a conference: one for each codec and settings in which somebody listens.
package final class ConferenceEncoders {
    /// Frames after which one whom nobody asks is let go.
    private static let idleFrames = 100

    // Confined to one thread.
    @exclusivity(unchecked) private var encoders: [SharedEncoder] = []
    /// Frames encoded since the start.
    @exclusivity(unchecked) package private(set) var encodings = 0

    package init() {}

    /// How many there are.
    package var count: Int { encoders.count }

    /// Another frame begins, the same for all listeners.
    package func begin() {
        for encoder in encoders { encoder.begin() }
        if encoders.contains(where: { $0.idleFrames > Self.idleFrames }) {
            encoders.removeAll { $0.idleFrames > Self.idleFrames }
        }
    }

    /// The encoder for such listeners; made, to go on where `own` is, where there is none.
    func encoder(
        for sending: SendingFormat, _ protection: RedundancyLadder.Protection, complexity: Int, from own: any AudioEncoder
    ) -> SharedEncoder? {
        for encoder in encoders where encoder.serves(sending, protection, complexity: complexity) { return encoder }
        guard let made = SharedEncoder(sending, protection, complexity: complexity, from: own) else { return nil }
        encoders.append(made)
        return made
    }

    /// Whether it is one of them still: whom nobody asked for a while is let go.
    func has(_ encoder: SharedEncoder) -> Bool { encoders.contains { $0 === encoder } }

    /// Encodes the frame at hand with one of them, unless that was done.
    func encode(_ frame: UnsafeBufferPointer<Float>, with encoder: SharedEncoder) {
        if encoder.encode(frame) { encodings += 1 }
    }
}

/// Which encoder one party of a conference is sent: his own while he speaks, the shared one while he listens.
///
/// A decoder goes on from what it heard, so one encoder must hand over to the other without a seam. From the shared one to his own
/// that is exact: his own goes on with its state. The other way the shared one, which others hear, cannot; but most encoders forget:
/// when both have heard the same for a while they say the same. Those that do not meet by themselves are exchanged within a pause: a
/// decoder that is given the other one's packets meets it in a tenth of a second, during which it is off by up to the whole voice.
struct EncoderShare {
    /// Both have heard the same for so long before one takes the other's place in a quiet moment, and in any, milliseconds.
    private static let quietMilliseconds = 1000.0
    private static let anyMilliseconds = 3000.0
    /// A pause that has lasted so long seldom ends within the next moment, in milliseconds.
    private static let pauseMilliseconds = 500.0
    /// Mean square of a quiet moment: -55 dBov.
    private static let quiet: Float = 3e-6

    /// Whom the party hears; `nil`: his own encoder.
    private(set) var shared: SharedEncoder?
    /// For how long both have heard the same, in milliseconds.
    private var together = 0.0
    /// For how long that has been quiet, in milliseconds.
    private var paused = 0.0

    /// The party speaks, or is sent something of his own: his own encoder goes on.
    mutating func leave(to own: any AudioEncoder) {
        (together, paused) = (0, 0)
        guard let shared else { return }
        shared.handOver(to: own)
        self.shared = nil
    }

    /// The party's own encoder and another one have encoded the same frame.
    /// - Parameters:
    ///   - isEqual: whether to the same bytes.
    ///   - frame: what was encoded.
    ///   - milliseconds: its length.
    mutating func note(
        _ other: SharedEncoder, isEqual: Bool, frame: UnsafeBufferPointer<Float>, milliseconds: Double
    ) {
        together += milliseconds
        if isEqual { return join(other) }
        guard !other.forgets || together >= Self.quietMilliseconds else { return }
        let energy = frame.reduce(0) { $0 + $1 * $1 } / Float(max(1, frame.count))
        paused = energy < Self.quiet ? paused + milliseconds : 0
        if other.forgets ? paused > 0 || together >= Self.anyMilliseconds : paused >= Self.pauseMilliseconds { join(other) }
    }

    /// From the next frame on the party hears what others hear.
    mutating func join(_ other: SharedEncoder) {
        shared = other
        (together, paused) = (0, 0)
    }
}
