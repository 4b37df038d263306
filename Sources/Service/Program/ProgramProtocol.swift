import Reporting

/// What goes over the WebSocket between a call and a program: sound as binary frames, 16-bit little-endian samples of one channel;
/// everything else as JSON text.
package enum ProgramProtocol {
    /// Subprotocol (RFC 6455 section 1.9).
    package static let name = "yodel.pcm"
    /// Longest frame that a program may send, bytes: ten seconds at 48 kHz.
    package static let longestFrame = 960_000
    private static let limits = JSONLimits(bytes: 4096, depth: 4)

    /// What a program asks for by text.
    package enum Wish: Equatable {
        /// Forgets what it said and nobody heard yet.
        case clear
        /// Wants the name back when what it said until now has been played.
        case mark(String)
        /// Nothing more to say, ever: it leaves.
        case stop
    }

    /// - Returns: `nil` for what cannot be understood.
    package static func wish(_ text: [UInt8]) -> Wish? {
        guard let value = try? JSONDocument(reading: text, limits: limits).value,
            case .string(let type) = value.value(at: "type")
        else { return nil }
        switch type {
        case "clear": return .clear
        case "stop": return .stop
        case "mark":
            guard case .string(let name) = value.value(at: "name"), name.utf8.count <= 256 else { return nil }
            return .mark(name)
        default: return nil
        }
    }

    /// The first thing a program hears: at which rate the sound is, and of what length its packets.
    package static func start(sampleRate: Int, frame: Int) -> String {
        [
            JSONMember("type", .string("start")), JSONMember("rate", .integer(sampleRate)), JSONMember("channels", .integer(1)),
            JSONMember("samples", .integer(frame)),
        ].object.text
    }

    package static let stop = [JSONMember("type", .string("stop"))].object.text

    package static func mark(_ name: String) -> String {
        [JSONMember("type", .string("mark")), JSONMember("name", .string(name))].object.text
    }

    /// Samples of a binary frame; half a sample at its end is left out.
    package static func samples(_ bytes: some RandomAccessCollection<UInt8>) -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(bytes.count / 2)
        var low: UInt8?
        for byte in bytes {
            guard let first = low else {
                low = byte
                continue
            }
            low = nil
            samples.append(Float(Int16(bitPattern: UInt16(first) | UInt16(byte) << 8)) * 0x1p-15)
        }
        return samples
    }

    /// The bytes of a binary frame; what is beyond -1...1 is clipped.
    package static func bytes(_ samples: [Float]) -> [UInt8] {
        samples.flatMap { sample -> [UInt8] in
            let value = UInt16(bitPattern: Int16(min(max((sample * 32_768).rounded(), -32_768), 32_767)))
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
    }
}
