import RTP
import Realtime

/// What a receiver made of a datagram, with the payload copied out.
enum Seen: Equatable {
    case media(sequence: Int64, timestamp: Int64, isNew: Bool, payload: [UInt8])
    case comfortNoise
    case telephoneEvent
    case probation
    case dropped(RTPDropReason)
}

extension RTPReceiver {
    /// `receive` on an array; a held packet that comes out is appended to `held`.
    mutating func take(_ bytes: [UInt8], at milliseconds: Double = 0, held: inout [Seen]) -> Seen {
        let arrival = HostTime(milliseconds: milliseconds)
        return bytes.withUnsafeBytes { buffer -> Seen in
            switch receive(buffer, arrival: arrival) {
            case .media(let packet):
                if packet.isNewSource { deliverHeldPacket { held.append(seen($0)) } }
                return seen(packet)
            case .comfortNoise: return .comfortNoise
            case .telephoneEvent: return .telephoneEvent
            case .probation: return .probation
            case .dropped(let reason): return .dropped(reason)
            }
        }
    }

    mutating func take(_ bytes: [UInt8], at milliseconds: Double = 0) -> Seen {
        var held: [Seen] = []
        return take(bytes, at: milliseconds, held: &held)
    }
}

func seen(_ packet: MediaPacket) -> Seen {
    .media(
        sequence: packet.extendedSequence, timestamp: packet.extendedTimestamp, isNew: packet.isNewSource,
        payload: Array(packet.payload))
}

/// A packet of 20 ms at 8 kHz whose time stamp goes with its sequence number.
func packet(
    _ sequence: UInt16, timestamp: UInt32? = nil, ssrc: UInt32 = 1, payloadType: UInt8 = 0, marker: Bool = false,
    payload: [UInt8] = [0xd5]
) -> [UInt8] {
    let header = RTPHeader(
        marker: marker, payloadType: payloadType, sequence: sequence,
        timestamp: timestamp ?? UInt32(sequence) &* 160, ssrc: ssrc)
    var bytes = [UInt8](repeating: 0, count: 12)
    _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
    return bytes + payload
}

func makeReceiver(requiresProbation: Bool = false) -> RTPReceiver {
    RTPReceiver(
        payloadTypes: PayloadTypeTable(audio: 0, telephoneEvent: 101, comfortNoise: 13), clockRate: 8000, localSSRC: 0xfeed,
        requiresProbation: requiresProbation)
}

/// Bytes of hexadecimal text; blanks are allowed.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension RTCPCompound {
    static func parse(_ bytes: [UInt8]) throws(RTCPParseError) -> [RTCPPacket] {
        let result: Result<[RTCPPacket], RTCPParseError> = bytes.withUnsafeBytes { buffer in
            do throws(RTCPParseError) { return .success(try parse(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension RTCPSession {
    mutating func receive(_ bytes: [UInt8], at milliseconds: Double) -> [RTCPEvent] {
        bytes.withUnsafeBytes { receive($0, arrival: HostTime(milliseconds: milliseconds)) }
    }
}

extension RTCPPacket {
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
