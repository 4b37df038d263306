import Codecs
import JitterBuffer
import Realtime

/// Packets of any number, time and content into a jitter buffer and its decoder, and pulls between them.
enum BufferFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let kinds = Codec.allCases
        let kind = kinds[Int(bytes.byte() & 3) % kinds.count]
        guard let decoder = try? makeDecoder(kind) else { return }
        let buffer = JitterBuffer(decoder: decoder, clockRate: kind.rtpClockRate())
        let frame = Int64(kind.rtpClockRate() / 50)
        var (sequence, timestamp, time) = (Int64(70_000), Int64(1) << 33, 0.0)
        var samples = [Float](repeating: 0, count: 4096)
        var pulls = 0
        for _ in 0..<1000 where !bytes.isEmpty && pulls < 4000 {
            let operation = bytes.byte()
            switch operation & 15 {
            case 0: sequence += Int64(Int16(truncatingIfNeeded: Int(bytes.word())))
            case 1: timestamp += Int64(Int32(truncatingIfNeeded: Int(bytes.long())))
            case 2: timestamp += frame * Int64(Int8(truncatingIfNeeded: Int(bytes.byte())))
            case 3: time += 10 * Double(bytes.byte())
            case 4: buffer.reset(.requested)
            case 5...9:
                for _ in 0..<(1 + operation >> 4) {
                    pulls += 1
                    time += 10
                    let count = operation & 15 == 5 ? Int(bytes.word() & 0xfff) : buffer.sampleRate / 100
                    samples.withUnsafeMutableBufferPointer { samples in
                        let block = UnsafeMutableBufferPointer(rebasing: samples[0..<count])
                        _ = buffer.pull(into: block, now: HostTime(milliseconds: time))
                        precondition(block.allSatisfy(\.isFinite), "what is heard is a number")
                    }
                }
                precondition(buffer.isBalanced, "every sample is booked")
            default:
                sequence += 1
                timestamp += frame
                let payload = bytes.bytes(Int(bytes.byte()))
                payload.withUnsafeBytes {
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: sequence, extendedTimestamp: timestamp, isCopy: operation & 0x80 != 0,
                            arrival: HostTime(milliseconds: time), payload: $0, isComfortNoise: operation & 0x60 == 0x60))
                }
            }
        }
    }
}
