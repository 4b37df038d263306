import Codecs
import Media
import RTP
import Realtime
import Testing

/// BYE, true and forged, at the level of a whole call in virtual time.
@Suite("A goodbye") struct GoodbyeTests {
    /// Two calls over ten milliseconds' steps; `meddle` may hand the listening one what an attacker sends.
    private func listen(
        seconds: Double, voiceUntil: Double, meddle: (_ now: HostTime, Call, _ speaker: UInt32) throws -> Void
    ) throws -> Endpoint {
        let speaker = try Endpoint(.pcmu, seeds: [1], microphone: sine(440, amplitude: 0.3, rate: 8000))
        let listener = try Endpoint(.pcmu, seeds: [2])
        var ssrc: UInt32 = 0
        try everyTenMilliseconds(to: seconds) { now in
            speaker.step(now: now)
            if let first = speaker.links[0].rtp.first {
                ssrc = try first.withUnsafeBytes { try RTPPacket(parsing: $0).header.ssrc }
            }
            let isSpeaking = now < HostTime(milliseconds: voiceUntil * 1000)
            speaker.links[0].carry(to: isSpeaking ? listener.call : nil, now: now)
            try meddle(now, listener.call, ssrc)
            listener.step(now: now)
        }
        return listener
    }

    private func bye(_ ssrc: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: ssrc, reports: []).append(to: &bytes)
        RTCPPacket.bye(ssrcs: [ssrc], reason: nil).append(to: &bytes)
        return bytes
    }

    private func isRemoteHangup(_ endpoint: Endpoint) -> Bool { endpoint.events[0].contains(.ended(.remoteHangup)) }

    @Test("ends the call when the voice stays out too, and nothing is concealed for what follows")
    func meant() throws {
        let listener = try listen(seconds: 4, voiceUntil: 3) { now, call, ssrc in
            guard now == HostTime(milliseconds: 3000) else { return }
            bye(ssrc).withUnsafeBytes { call.receive(rtcp: $0, arrival: now) }
        }
        #expect(isRemoteHangup(listener))
        #expect(listener.call.statistics.concealedRatio ?? 1 < 0.03, "\(listener.call.statistics)")
    }

    @Test("changes nothing while the voice goes on")
    func forged() throws {
        let listener = try listen(seconds: 6, voiceUntil: 6) { now, call, ssrc in
            guard now.milliseconds(since: .zero).truncatingRemainder(dividingBy: 500) == 0 else { return }
            bye(ssrc).withUnsafeBytes { call.receive(rtcp: $0, arrival: now) }
        }
        #expect(!isRemoteHangup(listener) && listener.call.statistics.concealedRatio == 0)
    }

    @Test("is said by who has sent, be it reports only, and not by who never did (RFC 3550 section 6.3.7)")
    func said() throws {
        let silent = try Endpoint(.pcmu, seeds: [3])
        silent.perform(.hangUp(.localHangup), now: HostTime(milliseconds: 10))
        #expect(silent.call.state.isEnded && silent.links[0].reports == 0)

        let listener = try Endpoint(.pcmu, seeds: [4])
        listener.perform(.direction(.receiveOnly), now: .zero)
        everyTenMilliseconds(to: 20) { listener.step(now: $0) }
        let before = listener.links[0].reports
        #expect(before > 0 && listener.links[0].rtp.isEmpty)
        listener.perform(.hangUp(.localHangup), now: HostTime(milliseconds: 20_000))
        #expect(listener.links[0].reports == before + 1)
    }

    @Test("is said under no SSRC that nobody heard of: not by who waited, and answers in the caller's codec at once")
    func waited() throws {
        let caller = try Endpoint(.pcmu, seeds: [5])
        func follow(_ configuration: inout CallConfiguration) {
            configuration.alsoReceives = [MediaFormat(.pcmu)]
            configuration.followsCodec = true
            configuration.policy.waitsForCaller = true
        }
        let listener = try Endpoint(.opus, seeds: [6], adjust: follow)
        var goodbyes = 0
        func countGoodbyes() {
            for packet in listener.links[0].rtcp {
                let packets = packet.withUnsafeBytes { (try? RTCPCompound.parse($0)) ?? [] }
                goodbyes += packets.count { if case .bye = $0 { true } else { false } }
            }
        }
        everyTenMilliseconds(to: 12) { now in
            caller.step(now: now)
            listener.step(now: now)
            // What is sent until then is sent to nobody.
            let hasCalled = now > HostTime(milliseconds: 8000)
            if hasCalled { countGoodbyes() }
            caller.links[0].carry(to: hasCalled ? listener.call : nil, now: now)
            listener.links[0].carry(to: hasCalled ? caller.call : nil, now: now)
        }
        #expect(listener.call.stream.sending.format.codec == .pcmu && goodbyes == 0)
        listener.perform(.hangUp(.localHangup), now: HostTime(milliseconds: 12_000))
        countGoodbyes()
        #expect(goodbyes == 1)
    }

    @Test("of another source than the heard one is nobody's")
    func foreign() throws {
        let listener = try listen(seconds: 3, voiceUntil: 2) { now, call, ssrc in
            guard now == HostTime(milliseconds: 2000) else { return }
            bye(ssrc &+ 1).withUnsafeBytes { call.receive(rtcp: $0, arrival: now) }
        }
        #expect(!isRemoteHangup(listener))
    }
}
