import AudioUnits
import Codecs
import Glibc
import JitterBuffer
import Link
import LiveMedia
import Media
import Network
import PacketCapture
import RTP
import Realtime
import Testing

@Suite("A captured call") struct CallCaptureTests {
    @Test("replayed packet by packet and pull by pull is heard exactly as it was", arguments: [Codec.opus, .pcmu, .g722])
    func replay(codec: Codec) throws {
        let path = "/tmp/yodel-call-\(codec.name)-\(getpid()).pcapng"
        defer { unlink(path) }
        let listener = try Endpoint(codec, seeds: [82], adjust: { $0.redundancyPayloadType = 121 })
        let talker = try Endpoint(
            codec, seeds: [81], microphone: { Float($0 % 977) / 2000 - 0.2 }, adjust: { $0.redundancyPayloadType = 121 })
        // Up to 60 ms of jitter, and 8 % loss: reordering, copies, FEC, concealment.
        var network = try LossyNetwork(to: listener, capturedAt: path) { random, _ in random.next() % 100 < 8 }
        let capture = network.capture
        everyTenMilliseconds(to: 12) { now in
            talker.step(now: now)
            network.carry(from: talker, to: listener, now: now)
            listener.step(now: now)
            for packet in listener.links[0].rtp {
                packet.withUnsafeBytes { capture.add(sent: $0, isControl: false, to: LossyNetwork.remote, time: now) }
            }
            listener.links[0].carry(to: talker.call, now: now)
            capture.drain()
        }
        // What the device still asks for after the end is silence, and no pull of the jitter buffer.
        listener.perform(.hangUp(.localHangup), now: HostTime(milliseconds: 12_000))
        for turn in 0..<5 { listener.step(now: HostTime(milliseconds: 12_010 + 10 * Double(turn))) }
        capture.finish()

        let reader = try CaptureReader(path: path)
        #expect(reader.isOurs && reader.settings["codec"] == codec.name && reader.settings["redundancy"] == "121")
        // The receive path alone, from what the file tells.
        let buffer = JitterBuffer(
            decoder: try makeDecoder(codec), clockRate: codec.rtpClockRate(),
            configuration: listener.call.configuration.jitterBuffer)
        let types = PayloadTypeTable(audio: codec.defaultPayloadType, redundancy: 121)
        var receiver = RTPReceiver(payloadTypes: types, clockRate: codec.rtpClockRate())
        var heard: [Float] = []
        var sent = 0
        while let event = try reader.next() {
            switch event {
            case .pull(let time, let samples):
                var block = [Float](repeating: 0, count: samples)
                block.withUnsafeMutableBufferPointer { _ = buffer.pull(into: $0, now: time) }
                heard += block
            case .stop, .pullsMoved: Issue.record("this machine does not stand still")
            case .change: continue
            case .datagram(let datagram):
                if datagram.direction == .sent { sent += 1 }
                guard datagram.direction == .received, datagram.destination.port == 5004 else { continue }
                datagram.bytes.withUnsafeBytes { bytes in
                    guard case .media(let packet) = receiver.receive(bytes, arrival: datagram.time) else { return }
                    func insert(_ packet: MediaPacket, isCopy: Bool) {
                        buffer.insert(
                            BufferedPacket(
                                extendedSequence: packet.extendedSequence, extendedTimestamp: packet.extendedTimestamp,
                                isCopy: isCopy, marker: packet.marker, arrival: packet.arrival, payload: packet.payload))
                    }
                    insert(packet, isCopy: false)
                    packet.forEachCopy { insert($0, isCopy: true) }
                }
            }
        }
        #expect(sent > 500 && heard.count > 11 * codec.sampleRate)
        #expect(buffer.statistics == listener.call.jitterBufferStatistics)
        try expectPlayed(heard, by: listener.device.played, moreThan: 10 * codec.sampleRate)
    }

    @Test("keeps going when its file cannot keep up, and counts what it lost")
    func overrun() throws {
        let path = "/tmp/yodel-overrun-\(getpid()).pcapng"
        defer { unlink(path) }
        let capture = try CallCapture(
            path: path, configuration: CallConfiguration(codec: .pcmu, seed: 1),
            local: SocketAddress(IPAddress(v6: 0), port: 5004), controlPort: 5004, epochNanoseconds: 0)
        let peer = SocketAddress(try IPAddress("192.0.2.1"), port: 9)
        for number in 0..<3000 {
            [UInt8](repeating: 0x80, count: 1000).withUnsafeBytes {
                capture.add(sent: $0, isControl: false, to: peer, time: HostTime(milliseconds: Double(number)))
            }
        }
        let lost = capture.dropped
        #expect(lost > 1500 && lost < 2500)
        capture.drain()
        capture.add(pull: .zero, samples: 80)
        #expect(capture.dropped == lost)
        capture.finish()
        let reader = try CaptureReader(path: path)
        var kept = 0
        var pulls = 0
        while let event = try reader.next() {
            switch event {
            case .datagram(let datagram):
                kept += 1
                #expect(datagram.direction == .sent && datagram.source.address == [0, 0, 0, 0])
            case .pull: pulls += 1
            case .stop, .pullsMoved: Issue.record("this machine does not stand still")
            case .change: continue
            }
        }
        #expect(kept == 3000 - lost && pulls == 1)
    }
}
