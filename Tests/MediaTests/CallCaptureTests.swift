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
        let local = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5004)
        let remote = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 6004)
        let capture = try CallCapture(
            path: path, configuration: listener.call.configuration, local: local, controlPort: 5005,
            epochNanoseconds: 1_763_000_000_000_000_123)
        listener.loop.taps = [capture]
        var random = SplitMix64(seed: 5)
        var underWay: [(due: HostTime, bytes: [UInt8], isControl: Bool)] = []
        everyTenMilliseconds(to: 12) { now in
            talker.step(now: now)
            // Up to 60 ms of jitter, and 8 % loss: reordering, copies, FEC, concealment.
            for packet in talker.links[0].rtp where random.next() % 100 >= 8 {
                let delay = Double(random.next() % 60_000) / 1000
                underWay.append((now.advanced(byMilliseconds: delay), packet, false))
            }
            for packet in talker.links[0].rtcp { underWay.append((now.advanced(byMilliseconds: 1), packet, true)) }
            talker.links[0].carry(to: nil, now: now)
            for packet in underWay.filter({ $0.due <= now }).sorted(by: { $0.due < $1.due }) {
                packet.bytes.withUnsafeBytes { bytes in
                    capture.add(received: bytes, isControl: packet.isControl, from: remote, time: packet.due)
                    if packet.isControl {
                        listener.call.receive(rtcp: bytes, arrival: packet.due)
                    } else {
                        listener.call.receive(rtp: bytes, arrival: packet.due)
                    }
                }
            }
            underWay.removeAll { $0.due <= now }
            listener.step(now: now)
            for packet in listener.links[0].rtp {
                packet.withUnsafeBytes { capture.add(sent: $0, isControl: false, to: remote, time: now) }
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
        let played = listener.device.played
        #expect(sent > 500 && heard.count > 11 * codec.sampleRate)
        #expect(buffer.statistics == listener.call.jitterBufferStatistics)
        // The device plays what was pulled, after a start of silence from the empty ring.
        let start = try #require(heard.firstIndex { $0 != 0 })
        let first = try #require(played.firstIndex { $0 != 0 })
        let count = min(played.count - first, heard.count - start)
        #expect(count > 10 * codec.sampleRate)
        #expect(played[first..<first + count].elementsEqual(heard[start..<start + count]))
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
