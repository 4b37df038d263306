import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Metrics
import PacketCapture
import RTP
import Realtime
import Simulation
import Testing

@Suite("A capture of ours, replayed") struct OwnCaptureReplayTests {
    /// What a call heard, and what it found.
    private struct Heard {
        let played: [Float]
        let statistics: CallStatistics
    }

    /// Ten seconds of words and pauses through jitter and bursts of loss; with a hold, less volume, and another codec towards the end.
    private func call(_ codec: Codec, capturedAt path: String) throws -> Heard {
        let rate = codec.sampleRate
        let other = MediaFormat(codec == .pcmu ? .pcma : .pcmu)
        let listener = try Endpoint(codec, seeds: [82], adjust: { $0.redundancyPayloadType = 121 })
        let talker = try Endpoint(
            codec, seeds: [81],
            microphone: { ($0 / (rate * 3 / 4)) % 2 == 0 ? Float($0 % 97) / 200 - 0.24 : Float($0 % 7) / 5000 },
            adjust: { $0.redundancyPayloadType = 121 })
        // Four in a row of each 132 are lost: 3 %.
        var network = try LossyNetwork(to: listener, capturedAt: path) { _, sent in sent / 4 % 33 == 7 }
        let capture = network.capture
        everyTenMilliseconds(to: 10) { now in
            if now == HostTime(milliseconds: 6000) { talker.perform(.send(SendingFormat(other)), now: now) }
            talker.step(now: now)
            network.carry(from: talker, to: listener, now: now)
            switch now {
            case HostTime(milliseconds: 3000): listener.perform(.direction(.inactive), now: now)
            case HostTime(milliseconds: 4000): listener.perform(.direction(.sendReceive), now: now)
            case HostTime(milliseconds: 5000): listener.perform(.volume(0.5), now: now)
            case HostTime(milliseconds: 5900):
                listener.perform(.receive([listener.call.configuration.stream.format, other]), now: now)
            default: break
            }
            listener.step(now: now)
            listener.links[0].carry(to: talker.call, now: now)
            capture.drain()
        }
        listener.perform(.hangUp(.localHangup), now: HostTime(milliseconds: 10_000))
        for turn in 0..<3 { listener.step(now: HostTime(milliseconds: 10_010 + 10 * Double(turn))) }
        // What comes when it is over is no part of it.
        [UInt8](repeating: 0x80, count: 40).withUnsafeBytes {
            capture.add(received: $0, isControl: false, from: LossyNetwork.remote, time: HostTime(milliseconds: 10_050))
        }
        capture.finish()
        return Heard(played: listener.device.played, statistics: listener.call.statistics)
    }

    private func replay(_ path: String) throws -> CaptureReplay {
        let reader = try CaptureReader(path: path)
        let configuration = try #require(CallConfiguration(captureSettings: reader.settings, seed: 99))
        let replay = try CaptureReplay(reader, ssrc: nil, configuration: configuration)
        try replay.run()
        return replay
    }

    /// What the packets and the pulls decide.
    private func figures(_ figures: CallStatistics) -> [String: Double?] {
        [
            "jitter": figures.jitterMilliseconds, "received": figures.packetsReceived.map(Double.init),
            "lost": figures.packetsLost.map(Double.init), "late": figures.packetsLate.map(Double.init),
            "reordered": figures.packetsReordered.map(Double.init), "concealed": figures.concealedRatio,
            "short": figures.concealedShort.map(Double.init), "long": figures.concealedLong.map(Double.init),
            "accelerated": figures.acceleratedMilliseconds, "decelerated": figures.deceleratedMilliseconds,
            "fec": figures.fecUsed.map(Double.init), "copies": figures.redundancyUsed.map(Double.init),
            "target": figures.bufferTargetMilliseconds, "level": figures.bufferLevelMilliseconds,
        ]
    }

    @Test(
        "gives sound and figures of the call, through loss, a hold, less volume and another codec",
        arguments: [Codec.opus, .pcmu])
    func withSound(codec: Codec) throws {
        let path = "/tmp/yodel-own-\(codec.name)-\(getpid()).pcapng"
        defer { unlink(path) }
        let live = try call(codec, capturedAt: path)
        let replay = try replay(path)
        #expect(replay.isWhole && !replay.isBlanked && replay.leftOut == nil)
        #expect(figures(replay.statistics) == figures(live.statistics))
        #expect(replay.statistics.levelHeardDecibels == live.statistics.levelHeardDecibels)
        #expect((live.statistics.packetsLost ?? 0) > 4 && (live.statistics.concealedRatio ?? 0) > 0)
        try expectPlayed(replay.heard, by: live.played, moreThan: 9 * codec.sampleRate)
        let rate = codec.sampleRate
        #expect(replay.heard[rate * 13 / 4..<rate * 15 / 4].allSatisfy { $0 == 0 }, "on hold nothing is heard")
    }

    @Test("and blanked, gives the figures of the call, and nothing that was said", arguments: [Codec.opus, .pcmu])
    func withoutSound(codec: Codec) throws {
        let path = "/tmp/yodel-said-\(codec.name)-\(getpid()).pcapng"
        let blank = "/tmp/yodel-blank-\(codec.name)-\(getpid()).pcapng"
        defer { for file in [path, blank] { unlink(file) } }
        let live = try call(codec, capturedAt: path)
        try CaptureBlanking.write(path, to: blank)
        let replay = try replay(blank)
        #expect(replay.isWhole && replay.isBlanked)
        #expect(figures(replay.statistics) == figures(live.statistics))

        let (said, silent) = (try datagrams(path), try datagrams(blank))
        #expect(said.count == silent.count && said.count > 400)
        for (was, now) in zip(said, silent) {
            #expect(was.count == now.count && was.prefix(12) == now.prefix(12))
            // A header of the codec in front; behind it one byte again and again. Between copies there are headers.
            guard now.count >= 32, !(192...223).contains(now[1]), now[1] & 0x7f != 121 else { continue }
            #expect(Set(now.suffix(8)).count == 1)
        }
        // Twice is once.
        let again = blank + "2"
        defer { unlink(again) }
        try CaptureBlanking.write(blank, to: again)
        #expect(figures(try self.replay(again).statistics) == figures(live.statistics))
    }

    @Test("and blanked, holds no key, and nothing of what was sent, whatever its number means to who receives")
    func withoutKeys() throws {
        let path = "/tmp/yodel-keys-\(getpid()).pcapng"
        let blank = path + "2"
        defer { for file in [path, blank] { unlink(file) } }
        let configuration = CallConfiguration(codec: .pcmu, seed: 85)
        var settings = configuration.captureSettings
        settings["local_address"] = "7f000001"
        settings["local_ports"] = "5004,5005"
        let writer = try CaptureWriter(path: path, settings: settings, epochNanoseconds: 0)
        let own = UDPEndpoint(address: [127, 0, 0, 1], port: 5004)
        let other = UDPEndpoint(address: [127, 0, 0, 1], port: 6004)
        let digits = configuration.stream.telephoneEventPayloadType
        let noise = configuration.stream.comfortNoisePayloadType
        for (type, isReceived) in [(digits, true), (noise, true), (digits, false), (noise, false)] {
            var bytes = [UInt8](repeating: 7, count: RTPHeader.fixedLength + 8)
            _ = bytes.withUnsafeMutableBytes {
                RTPHeader(payloadType: type, sequence: 1, timestamp: 0, ssrc: 9).write(into: $0)
            }
            bytes.withUnsafeBytes {
                writer.add(
                    $0, time: HostTime(milliseconds: 20), isReceived: isReceived, source: isReceived ? other : own,
                    destination: isReceived ? own : other)
            }
        }
        try writer.finish()
        try CaptureBlanking.write(path, to: blank)
        let payloads = try datagrams(blank).map { Array($0.dropFirst(RTPHeader.fixedLength)) }
        let nothing = [UInt8](repeating: 0, count: 8)
        #expect(payloads == [[0, 7, 7, 7, 0, 0, 0, 0], [UInt8](repeating: 7, count: 8), nothing, nothing])
    }

    private func datagrams(_ path: String) throws -> [[UInt8]] {
        let reader = try CaptureReader(path: path)
        var all: [[UInt8]] = []
        while let event = try reader.next() {
            if case .datagram(let datagram) = event { all.append(datagram.bytes) }
        }
        return all
    }

    @Test(
        "tells delays beyond the first packet's travel, however long the call waited for that packet", arguments: [0.0, 2, 4.2])
    func waits(seconds: Double) throws {
        let path = "/tmp/yodel-waits-\(Int(1000 * seconds))-\(getpid()).pcapng"
        defer { unlink(path) }
        let listener = try Endpoint(.pcmu, seeds: [84])
        let talker = try Endpoint(.pcmu, seeds: [83])
        var network = try LossyNetwork(to: listener, capturedAt: path) { _, _ in false }
        let capture = network.capture
        everyTenMilliseconds(to: seconds + 3) { now in
            if now >= HostTime(milliseconds: 1000 * seconds) {
                talker.step(now: now)
                network.carry(from: talker, to: listener, now: now)
            }
            listener.step(now: now)
            capture.drain()
        }
        capture.finish()
        let replay = try replay(path)
        // The first packet may have travelled for 60 ms, and others for none.
        let (least, greatest) = (try #require(replay.figures.leastDelayMs), try #require(replay.figures.greatestDelayMs))
        #expect(least > -60 && greatest < 300, "\(least) to \(greatest) ms")
        // Blocks before it have a time of their own.
        let times = replay.rows.map(\.milliseconds)
        #expect(try #require(times.first) <= -1000 * seconds && times == times.sorted())
    }

    @Test("of others cannot be blanked, and says so") func foreign() throws {
        let path = "/tmp/yodel-foreign-\(getpid()).pcapng"
        defer { unlink(path) }
        let writer = try CaptureWriter(path: path, settings: ["text": "no codec"], epochNanoseconds: 0)
        try writer.finish()
        #expect(throws: CaptureError.unreadable(path: path, reason: "it does not say what its call was made of")) {
            try CaptureBlanking.write(path, to: path + "2")
        }
    }

    @Test(
        "understands what changed, and passes over what makes no sense",
        arguments: [
            ("gain=0.5", .gain(0.5)), ("gain=nan", nil), ("gain=", nil), ("state=ended", .ended), ("state=x", nil),
            ("x=1", nil), ("", nil),
            ("formats=8 pcma 8000", .formats([MediaFormat(.pcma)])), ("formats=8 pcma", nil),
        ] as [(String, StreamChange?)])
    func change(text: String, change: StreamChange?) {
        #expect(StreamChange(captured: text) == change)
        if let change { #expect(change.captured == text) }
    }
}
