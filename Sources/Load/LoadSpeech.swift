import AudioFiles
import Codecs
import Simulation
import Softphone

/// What all calls of a load say: one recording, encoded once, over and over; each call begins elsewhere in it.
struct LoadSpeech {
    /// Of a file no more is used, in seconds.
    private static let longestSeconds = 60.0
    /// Length of the speech that is made by numbers, in seconds.
    static let madeSeconds = 30.0
    /// What correlation works at, Hz, or a little more.
    private static let analysisRate = 8000

    /// The payloads, one behind the other.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The sound at `analysisRate`, for finding it again.
    private(set) var reference: [Float] = []
    /// Samples of a packet, of the codec and as analysed.
    let frameLength: Int
    let analysedLength: Int
    /// Codec samples that make one analysed sample.
    let factor: Int
    let packetMilliseconds: Int

    /// - Parameters:
    ///   - path: a file of speech; `nil`: made by numbers, of `seed`.
    ///   - settings: how it is encoded; packets have its length.
    ///   - seconds: how much of it is made, where there is no file.
    init(
        _ codec: Codec, _ settings: EncoderSettings, path: String?, seed: UInt64, seconds: Double = Self.madeSeconds
    ) throws(SoftphoneError) {
        let encoder: any AudioEncoder
        do { encoder = try makeEncoder(codec, settings: settings) } catch { throw .codec(error) }
        (frameLength, packetMilliseconds) = (encoder.frameLength, settings.frameMilliseconds)
        let factor = max(1, encoder.sampleRate / Self.analysisRate)
        self.factor = frameLength % factor == 0 ? factor : 1
        analysedLength = frameLength / self.factor
        let samples = try Self.sound(path, rate: encoder.sampleRate, seed: seed, seconds: seconds)
        guard samples.count >= 2 * encoder.sampleRate else {
            throw .request("\(path ?? "the speech") is too short to be told from its repetition; give 2 seconds or more")
        }
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        for start in stride(from: 0, through: samples.count - frameLength, by: frameLength) {
            let frame = Array(samples[start..<start + frameLength])
            let count: Int
            do { count = try Self.encode(frame, encoder, into: &payload) } catch { throw .codec(error) }
            bytes += payload[..<count]
            ends.append(bytes.count)
            frame.withUnsafeBufferPointer { Self.analyse($0, factor: self.factor, into: &reference) }
        }
    }

    private static func encode(
        _ frame: [Float], _ encoder: any AudioEncoder, into payload: inout [UInt8]
    ) throws(CodecError) -> Int {
        try frame.withUnsafeBufferPointer { (frame) throws(CodecError) -> Int in
            try payload.withUnsafeMutableBufferPointer { (out) throws(CodecError) -> Int in
                try encoder.encode(frame, into: UnsafeMutableRawBufferPointer(out))
            }
        }
    }

    private static func sound(
        _ path: String?, rate: Int, seed: UInt64, seconds: Double
    ) throws(SoftphoneError) -> [Float] {
        guard let path else {
            var talker = SyntheticTalker(sampleRate: rate, pitch: 120, seed: seed)
            return talker.speak(seconds: seconds)
        }
        do {
            let samples = try AudioFileReader.samples(path: path, rate: rate)
            return Array(samples.prefix(Int(longestSeconds) * rate))
        } catch { throw .audioFile(error) }
    }

    /// Adds `sound` at the rate of analysis: means of `factor` samples, the same for what is said and what is heard.
    static func analyse(_ sound: UnsafeBufferPointer<Float>, factor: Int, into analysed: inout [Float]) {
        var index = 0
        while index + factor <= sound.count {
            var sum: Float = 0
            for offset in 0..<factor { sum += sound[index + offset] }
            analysed.append(sum / Float(factor))
            index += factor
        }
    }

    /// Packets there are until it begins anew.
    var packets: Int { ends.count }
    /// Where call `number` begins in it.
    func firstPacket(ofCall number: Int) -> Int { number * 37 % packets }
    /// Samples a second of the reference.
    var referenceRate: Double { Double(analysedLength) * 1000 / Double(packetMilliseconds) }

    /// Hands out the payload of packet `number`, counted on without end.
    func withPayload<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let index = number % ends.count
        let start = index == 0 ? 0 : ends[index - 1]
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<ends[index]])) }
    }
}
