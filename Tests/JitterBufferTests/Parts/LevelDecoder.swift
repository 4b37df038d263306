import Codecs
import JitterBuffer

/// A codec for tests at 8 kHz: each byte is a sample of byte / 256. Payloads that begin with 255 do not decode.
final class LevelDecoder: AudioDecoder {
    let sampleRate = 8000
    let maximumFrames = 960
    /// What was asked of it, in order.
    private(set) var log: [String] = []
    var concealsItself = false
    var hasFEC = false

    func duration(of payload: UnsafeRawBufferPointer) -> Int? { payload.isEmpty ? nil : payload.count }

    func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        log.append("decode")
        guard payload.first != 255 else { throw .malformedPayload }
        for (index, byte) in payload.enumerated() { samples[index] = Float(byte) / 256 }
        return payload.count
    }

    func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool { hasFEC }

    func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        log.append("fec \(frames)")
        for index in 0..<frames { samples[index] = 0.5 }
        return frames
    }

    func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        guard concealsItself else { return false }
        log.append("conceal \(frames)")
        for index in 0..<frames { samples[index] = 0.25 }
        return true
    }

    func keepState() { log.append("keep") }
    func exchangeState() { log.append("exchange") }
    func reset() { log.append("reset") }
}

/// Packets of 20 ms for `LevelDecoder`.
enum LevelPacket {
    static func stored(
        _ sequence: Int64, position: Int64? = nil, kind: StoredPacket.Kind = .audio, carriesFEC: Bool = false,
        arrival: Double? = nil
    ) -> StoredPacket {
        StoredPacket(
            sequence: sequence, position: position ?? sequence * 160, duration: 160, kind: kind,
            carriesFEC: carriesFEC, arrival: arrival ?? Double(sequence) * 20)
    }

    static func payload(level: UInt8 = 64) -> [UInt8] { [UInt8](repeating: level, count: 160) }

    static func insert(_ packet: StoredPacket, level: UInt8 = 64, into packets: PacketBuffer) {
        payload(level: level).withUnsafeBytes { _ = packets.insert(packet, payload: $0) }
    }
}
