import Codecs
import Reporting

/// What a program hears of a call.
package enum ProgramTrack: String, Sendable, CaseIterable {
    /// What the other side says.
    case inbound
    /// What our side says.
    case outbound
    /// Each on its own.
    case both
    /// One sound of both.
    case mixed

    /// - Parameter field: of the request, for messages.
    static func choose(_ name: String, field: String) throws(Problem) -> ProgramTrack {
        guard let track = ProgramTrack(rawValue: name) else {
            throw .badField(field, "'\(name.prefix(40))' is no track; use \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return track
    }
}

/// How sound is written on a program's WebSocket.
package struct ProgramFormat: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        /// Signed 16-bit samples, the low byte first.
        case l16
        /// G.711 mu-law.
        case mulaw

        /// As media-stream services call it.
        var mediaType: String { self == .l16 ? "audio/x-l16" : "audio/x-mulaw" }
    }

    /// In Hz.
    package let sampleRate: Int
    package let encoding: Encoding

    /// Rates that programs may choose, Hz.
    package static let rates = [8000, 16_000, 24_000, 48_000]
    package static let usualRate = 16_000

    /// Samples of a packet.
    var frame: Int { sampleRate / 50 }

    /// - Parameters:
    ///   - rate: in Hz; `nil` is the usual one of the encoding.
    ///   - encoding: its name; `nil`: 16-bit samples.
    ///   - prefix: of the fields in the request, for messages.
    package init(rate: Int?, encoding: String?, prefix: String = "") throws(Problem) {
        guard let known = Encoding(rawValue: encoding ?? Encoding.l16.rawValue) else {
            throw .badField(prefix + "encoding", "a program's sound is encoded as l16 or mulaw")
        }
        let rate = rate ?? (known == .mulaw ? 8000 : Self.usualRate)
        guard Self.rates.contains(rate) else {
            throw .badField(prefix + "rate", "a program talks at 8000, 16000, 24000 or 48000 Hz")
        }
        guard known == .l16 || rate == 8000 else {
            throw .badField(prefix + "rate", "mulaw is at 8000 Hz; leave the rate out, or choose l16")
        }
        (sampleRate, self.encoding) = (rate, known)
    }

    /// Samples of what a program sent; half a sample at its end is left out.
    func samples(_ bytes: some RandomAccessCollection<UInt8>) -> [Float] {
        if encoding == .mulaw { return bytes.map { Float(G711.expand($0, .mu)) * 0x1p-15 } }
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

    /// The bytes of samples; what is beyond -1...1 is clipped.
    func bytes(_ samples: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * samples.count)
        for sample in samples {
            let value = Int16(min(max((sample * 32_768).rounded(), -32_768), 32_767))
            if encoding == .mulaw {
                bytes.append(G711.compress(value, .mu))
            } else {
                let bits = UInt16(bitPattern: value)
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            }
        }
        return bytes
    }

    /// As a request or a record names it; 16-bit samples go without saying.
    var members: [JSONMember] {
        [JSONMember("rate", .integer(sampleRate))]
            + (encoding == .l16 ? [] : [JSONMember("encoding", .string(encoding.rawValue))])
    }
}
