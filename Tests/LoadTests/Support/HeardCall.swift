import Codecs
import Link
import Load
import RTP
import Realtime

extension LoadCallReport {
    /// A call of packets of 20 ms that sent one before each packet that it heard.
    /// - Parameters:
    ///   - sequences: of the packets heard.
    ///   - intervals: milliseconds that pass before each of them; 20 where none is given.
    ///   - sources: the SSRC of each of them; 9 where none is given.
    ///   - late: the places of those before which the load was late itself.
    ///   - ending: how it ends; nil: it has not ended yet.
    ///   - time: goes on with it.
    static func call(
        in codec: Codec = .pcmu, hearing sequences: [UInt16], after intervals: [Int64] = [], from sources: [UInt32] = [],
        late: Set<Int> = [], ending: HeardEnding? = nil,
        _ time: VirtualTime = VirtualTime()
    ) -> LoadCallReport {
        var random = SplitMix64(seed: 1)
        var call = LoadCall(
            number: 0, local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 4000), codec, firstPacket: 0, random: &random)
        for (place, sequence) in sequences.enumerated() {
            call.noteSent(at: time.now)
            time.pass(milliseconds: intervals.isEmpty ? 20 : intervals[place])
            var bytes = [UInt8](repeating: 0xff, count: 172)
            let header = RTPHeader(
                payloadType: 0, sequence: sequence, timestamp: UInt32(sequence) * 160,
                ssrc: sources.isEmpty ? 9 : sources[place])
            bytes.withUnsafeMutableBytes { bytes in
                _ = header.write(into: bytes)
                if let packet = try? RTPPacket(parsing: UnsafeRawBufferPointer(bytes)) {
                    call.receive(packet, arrival: time.now, wasLate: late.contains(place), packetMilliseconds: 20)
                }
            }
        }
        if let ending {
            time.pass(milliseconds: ending.silence)
            if ending.isByPeer {
                var bytes: [UInt8] = []
                RTCPPacket.receiverReport(ssrc: 9, reports: []).append(to: &bytes)
                RTCPPacket.bye(ssrcs: [9], reason: nil).append(to: &bytes)
                bytes.withUnsafeBytes { call.receive(rtcp: $0, arrival: time.now) }
            }
            call.noteGoodbye(at: time.now, wasLate: ending.wasLate, isHeld: ending.isHeld)
            call.noteOver(packetMilliseconds: 20)
        }
        return LoadCallReport(call, nil)
    }
}

/// How a call ends of which packets were heard.
struct HeardEnding {
    /// From the last packet until the goodbye, in milliseconds.
    var silence: Int64
    var wasLate = false
    var isHeld = false
    /// The other side says goodbye first.
    var isByPeer = false
}
