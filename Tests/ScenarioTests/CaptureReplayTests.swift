import Calling
import Codecs
import Glibc
import PacketCapture
import RTP
import Realtime
import Simulation
import Testing

@Suite("A capture of others, replayed") struct CaptureReplayTests {
    /// A pcapng file without our settings: what another program's capture looks like, by our own writer.
    private func capture(packets: Int, lost: (Int) -> Bool = { _ in false }) throws -> String {
        let path = "/tmp/yodel-replay-\(getpid())-\(packets).pcapng"
        let writer = try CaptureWriter(path: path, settings: [:], epochNanoseconds: 1_700_000_000_000_000_000)
        let near = UDPEndpoint(address: [192, 0, 2, 1], port: 4000)
        let far = UDPEndpoint(address: [192, 0, 2, 2], port: 5000)
        let encoder = try makeEncoder(.pcmu)
        for number in 0..<packets {
            let now = HostTime(milliseconds: Double(number) * 20)
            let samples = (0..<160).map { Float(0.3 * sin(2 * .pi * 500 * Double(number * 160 + $0) / 8000)) }
            var payload = [UInt8](repeating: 0, count: 160)
            _ = try samples.withUnsafeBufferPointer { samples in
                try payload.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
            for (ssrc, isNoise) in [(UInt32(7), false), (9, true)] {
                // The other source speaks half as often, in another type.
                if isNoise ? number % 2 == 0 : lost(number) { continue }
                var bytes = [UInt8](repeating: 0, count: 12)
                let header = RTPHeader(
                    payloadType: isNoise ? 8 : 0, sequence: UInt16(isNoise ? number / 2 : number),
                    timestamp: UInt32(number * 160), ssrc: ssrc)
                _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
                (bytes + payload).withUnsafeBytes {
                    writer.add($0, time: now, isReceived: true, source: far, destination: near)
                }
            }
            // Something that is no RTP.
            Array("NOTIFY sip:x SIP/2.0".utf8).withUnsafeBytes {
                writer.add($0, time: now, isReceived: true, source: far, destination: near)
            }
        }
        try writer.flush()
        return path
    }

    @Test("finds its streams, the longest first, and plays the one asked for")
    func plays() throws {
        let path = try capture(packets: 250)
        defer { unlink(path) }
        let streams = try CaptureStreams(path: path)
        #expect(streams.streams.map(\.ssrc) == [7, 9] && streams.streams.map(\.payloadType) == [0, 8])
        #expect(streams.end == nil && streams.streams[0].packets == 250)
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.figures.packetsLost == 0 && replay.figures.packetsSent == 250)
        #expect(replay.heard.count >= 8000 * 5)
        let power = replay.heard[8000..<32_000].reduce(0) { $0 + $1 * $1 } / 24_000
        #expect(abs(power - 0.045) < 0.002, "\(power)")
    }

    @Test("conceals what was lost")
    func conceals() throws {
        let path = try capture(packets: 251) { $0 % 10 == 4 }
        defer { unlink(path) }
        let replay = try CaptureReplay(
            try CaptureReader(path: path), ssrc: 7, configuration: CallConfiguration(codec: .pcmu, seed: 1))
        try replay.run()
        #expect(replay.figures.packetsLost == 25)
        #expect(replay.figures.buffer.concealments >= 24)
    }
}
