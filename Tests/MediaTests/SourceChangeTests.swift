import Codecs
import Glibc
import LiveMedia
import Media
import Realtime
import Testing

@Suite("A peer that starts again in mid-call") struct SourceChangeTests {
    @Test("is taken over with its new SSRC, told of, and heard within half a second", arguments: [Codec.l16, .opus])
    func restarted(codec: Codec) throws {
        let rate = codec.sampleRate
        let first = try Endpoint(codec, seeds: [21], microphone: sine(600, amplitude: 0.2, rate: rate))
        let second = try Endpoint(codec, seeds: [22], microphone: sine(900, amplitude: 0.2, rate: rate))
        let listener = try Endpoint(codec, seeds: [23])
        everyTenMilliseconds(to: 3) { now in
            first.step(now: now)
            listener.step(now: now)
            first.links[0].carry(to: listener.call, now: now)
            listener.links[0].carry(to: first.call, now: now)
        }
        // The first one dies without BYE; another process takes its place at the same address.
        everyTenMilliseconds(from: 3, to: 6) { now in
            second.step(now: now)
            listener.step(now: now)
            second.links[0].carry(to: listener.call, now: now)
            listener.links[0].carry(to: second.call, now: now)
        }
        let changes = listener.events[0].filter { if case .sourceChanged = $0 { true } else { false } }
        #expect(changes.count == 1)
        #expect(listener.events[0].contains(.bufferReset(reason: "new_source")))
        #expect(listener.events[0].filter { $0 == .mediaStarted }.count == 1)
        #expect(listener.call.state == .active)
        let heard = listener.device.played
        #expect(amplitude(of: 600, in: heard[rate..<2 * rate], rate: rate) > 0.15)
        #expect(amplitude(of: 900, in: heard[rate * 7 / 2..<rate * 9 / 2], rate: rate) > 0.15)
        #expect(amplitude(of: 600, in: heard[rate * 7 / 2..<rate * 9 / 2], rate: rate) < 0.01)
    }

    @Test("stands in a dump under the name that a replay gives it")
    func dumped() throws {
        let folder = "/tmp/yodel-reset-\(getpid())"
        defer {
            for name in ["jitter_buffer.csv", "sent.wav", "heard.wav"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        let talkers = try ([26, 27] as [UInt64]).map { try Endpoint(.pcmu, seeds: [$0]) }
        let listener = try Endpoint(.pcmu, seeds: [28])
        let dump = try SignalDump(folder: folder, sampleRate: 8000, unit: listener.endpoint.unit, now: .zero)
        listener.loop.taps = [dump]
        everyTenMilliseconds(to: 4) { now in
            let talker = talkers[now < HostTime(milliseconds: 2000) ? 0 : 1]
            talker.step(now: now)
            listener.step(now: now)
            talker.links[0].carry(to: listener.call, now: now)
            dump.drain()
        }
        dump.finish()
        let file = try #require(fopen(folder + "/jitter_buffer.csv", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let rows = String(decoding: bytes[..<count], as: UTF8.self)
        #expect(rows.contains(",reset{new_source}\n") && rows.contains(",normal\n"))
    }

    @Test("whose call goes on numbers its packets on from the former ones, unless they would wrap soon")
    func numbers() throws {
        func sequence(_ packet: [UInt8]?) -> UInt16? { packet.map { UInt16($0[2]) << 8 | UInt16($0[3]) } }
        let first = try Endpoint(seeds: [24])
        everyTenMilliseconds(to: 1) { now in first.step(now: now) }
        let sent = try #require(first.call.statistics.packetsSent)
        let next = try #require(StreamConfiguration.sequence(after: first.call.configuration.sequence, packets: sent))
        #expect(sent > 10 && sequence(first.links[0].rtp.last) == next - 1)
        let second = try Endpoint(seeds: [25], adjust: { $0.firstSequence = next })
        everyTenMilliseconds(from: 1, to: 2) { now in second.step(now: now) }
        #expect(sequence(second.links[0].rtp.first) == next)
        #expect(StreamConfiguration.sequence(after: 0x7ffe, packets: 1) == 0x7fff)
        #expect(StreamConfiguration.sequence(after: 0x7ffe, packets: 2) == nil)
    }

    @Test("cannot be pushed aside by single packets of strangers")
    func strangers() throws {
        let peer = try Endpoint(seeds: [31], microphone: sine(600, amplitude: 0.2, rate: 16_000))
        let listener = try Endpoint(seeds: [32])
        everyTenMilliseconds(to: 4) { now in
            peer.step(now: now)
            listener.step(now: now)
            peer.links[0].carry(to: listener.call, now: now)
            guard now >= HostTime(milliseconds: 500) else { return }
            var stranger: [UInt8] = [0x80, 112, UInt8(truncatingIfNeeded: now.nanoseconds / 7_000_000), 9]
            stranger += (0..<8).map { UInt8(truncatingIfNeeded: now.nanoseconds / 10_000_000 &* Int64($0 + 3)) }
            stranger += [UInt8](repeating: 0x55, count: 640)
            stranger.withUnsafeBytes { listener.call.receive(rtp: $0, arrival: now) }
        }
        #expect(!listener.events[0].contains { if case .sourceChanged = $0 { true } else { false } })
        #expect(abs(amplitude(of: 600, in: listener.device.played[16_000..<48_000], rate: 16_000) - 0.2) < 0.005)
    }

    @Test("is not ended by the BYE of a stranger, nor by rubbish")
    func strangersBye() throws {
        let peer = try Endpoint(seeds: [41], microphone: sine(600, amplitude: 0.2, rate: 16_000))
        let stranger = try Endpoint(seeds: [42])
        let listener = try Endpoint(seeds: [43])
        everyTenMilliseconds(to: 2) { now in
            peer.step(now: now)
            listener.step(now: now)
            stranger.step(now: now)
            peer.links[0].carry(to: listener.call, now: now)
            if now == HostTime(milliseconds: 1000) {
                stranger.links[0].carry(to: nil, now: now)
                stranger.perform(.hangUp(.localHangup), now: now)
                for packet in stranger.links[0].rtcp {
                    packet.withUnsafeBytes { listener.call.receive(rtcp: $0, arrival: now) }
                    for length in 0..<packet.count {
                        packet[..<length].withUnsafeBytes { listener.call.receive(rtcp: $0, arrival: now) }
                    }
                }
            }
            for count in 0..<20 {
                [UInt8](repeating: UInt8(count * 13), count: count).withUnsafeBytes {
                    listener.call.receive(rtp: $0, arrival: now)
                    listener.call.receive(rtcp: $0, arrival: now)
                }
            }
        }
        #expect(listener.call.state == .active)
    }
}
