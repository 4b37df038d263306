import Codecs
import Media
import RTP
import Realtime
import Testing

@Suite("Somebody who sends under our SSRC") struct SourceCollisionTests {
    private func ssrc(_ packet: [UInt8]) -> UInt32 { packet[8..<12].reduce(0) { $0 << 8 | UInt32($1) } }

    @Test("makes us say goodbye, take another SSRC, and hear him (RFC 3550 section 8.2)")
    func collision() throws {
        // The same seed: the same SSRC. The other one does not know the RFC and keeps it.
        let stubborn = try Endpoint(seeds: [71], microphone: sine(600, amplitude: 0.2, rate: 16_000))
        let ours = try Endpoint(seeds: [71])
        var sources: [UInt32] = []
        var goodbyes = 0
        try everyTenMilliseconds(to: 3) { now in
            stubborn.step(now: now)
            ours.step(now: now)
            for packet in ours.links[0].rtp where sources.last != ssrc(packet) { sources.append(ssrc(packet)) }
            for packet in ours.links[0].rtcp {
                let packets = try packet.withUnsafeBytes { try RTCPCompound.parse($0) }
                goodbyes += packets.count { $0 == .bye(ssrcs: [sources[0]], reason: "SSRC collision") }
            }
            ours.links[0].carry(to: nil, now: now)
            stubborn.links[0].carry(to: ours.call, now: now)
        }
        #expect(sources.count == 2 && goodbyes == 1)
        #expect(ours.call.state == .active)
        #expect(amplitude(of: 600, in: ours.device.played[16_000..<32_000], rate: 16_000) > 0.15)
    }

    @Test("and keeps it ends the call by his goodbye, as anybody does")
    func goodbye() throws {
        let stubborn = try Endpoint(seeds: [71])
        let ours = try Endpoint(seeds: [71])
        everyTenMilliseconds(to: 4) { now in
            stubborn.step(now: now)
            ours.step(now: now)
            ours.links[0].carry(to: nil, now: now)
            stubborn.links[0].carry(to: ours.call, now: now)
        }
        #expect(ours.call.state == .active)
        let end = HostTime(milliseconds: 4000)
        stubborn.perform(.hangUp(.localHangup), now: end)
        stubborn.links[0].carry(to: ours.call, now: end)
        everyTenMilliseconds(from: 4, to: 5) { ours.step(now: $0) }
        #expect(ours.events[0].contains(.ended(.remoteHangup)))
    }

    @Test("on both sides at once is settled by both, once, and the call goes on")
    func bothSides() throws {
        let a = try Endpoint(seeds: [71], microphone: sine(600, amplitude: 0.2, rate: 16_000))
        let b = try Endpoint(seeds: [71])
        var sources: Set<UInt32> = []
        everyTenMilliseconds(to: 4) { now in
            a.step(now: now)
            b.step(now: now)
            for packet in b.links[0].rtp { sources.insert(ssrc(packet)) }
            a.links[0].carry(to: b.call, now: now)
            // Two ways of a network never take the same time.
            b.links[0].carry(to: a.call, now: now.advanced(byMilliseconds: 0.3))
        }
        #expect(a.call.state == .active && b.call.state == .active)
        #expect(sources.count <= 3, "\(sources.count)")
        #expect(amplitude(of: 600, in: b.device.played[48_000..<60_000], rate: 16_000) > 0.15)
    }

    @Test("who is only our own echo is told from it by coming back under the new one too: no change after the first")
    func loop() throws {
        let ours = try Endpoint(seeds: [72], adjust: { $0.policy.mediaTimeoutMilliseconds = .greatestFiniteMagnitude })
        var sources: Set<UInt32> = []
        // Longer than a conflict is remembered.
        everyTenMilliseconds(to: 110) { now in
            ours.step(now: now)
            for packet in ours.links[0].rtp { sources.insert(ssrc(packet)) }
            ours.links[0].carry(to: ours.call, now: now)
        }
        #expect(sources.count == 2)
        #expect(!ours.call.state.isEnded, "our own goodbye ends no call")
    }
}
