import Codecs
import Media
import RTP
import Realtime
import Testing

@Suite("Telephone events of a stream whose clock is not the audio's") struct EventClockTests {
    @Test("say in their own clock how long a key was held, beside time stamps of the audio, and are heard as long")
    func beside() throws {
        func end(_ seed: UInt64) throws -> Endpoint {
            try Endpoint(.opus, seeds: [seed], adjust: { $0.telephoneEventClockRate = 8000 })
        }
        let (speaker, listener) = (try end(21), try end(22))
        var (durations, starts): ([Int], [UInt32]) = ([], [])
        everyTenMilliseconds(to: 1) { now in
            if now == seconds(0.2) { speaker.perform(.digits("57"), now: now) }
            for end in [speaker, listener] { end.step(now: now) }
            for packet in speaker.links[0].rtp where packet[1] & 0x7f == Codec.opus.telephoneEventPayloadType {
                durations.append(Int(packet[14]) << 8 | Int(packet[15]))
                if packet[1] & 0x80 != 0 { starts.append(packet[4..<8].reduce(0) { $0 << 8 | UInt32($1) }) }
            }
            speaker.links[0].carry(to: listener.call, now: now)
            listener.links[0].carry(to: speaker.call, now: now)
        }
        #expect(durations.prefix(8) == [160, 320, 480, 640, 800, 800, 800, 800])
        try #require(starts.count == 2)
        // A digit and a pause are 160 ms.
        #expect(starts[1] &- starts[0] == 7680)
        let digits = listener.events[0].compactMap { event -> (Character, Double)? in
            if case .digitReceived(let digit, let milliseconds) = event { (digit, milliseconds) } else { nil }
        }
        #expect(digits.map(\.0) == ["5", "7"] && digits.allSatisfy { $0.1 == 100 }, "\(digits)")
    }

    @Test("and the numbers by which it comes stand in its capture's settings; those that say nothing are left out")
    func captured() throws {
        var configuration = StreamConfiguration(codec: .opus, seed: 1)
        configuration.telephoneEventClockRate = 8000
        var received = configuration.format
        (received.payloadType, received.telephoneEventPayloadType) = (96, 97)
        configuration.receivedFormat = received
        received.telephoneEventClockRate = nil
        received.telephoneEventPayloadType = 98
        configuration.alsoReceives = [received]
        configuration.redundancyPayloadType = 121
        configuration.alsoReceivesRedundancy = [63]
        var settings = configuration.captureSettings
        let replayed = try #require(StreamConfiguration(captureSettings: settings, seed: 2))
        #expect(replayed.format == configuration.format)
        #expect(replayed.receivedFormats == configuration.receivedFormats)
        #expect(replayed.redundancyPayloadTypes == [121, 63])
        (settings["receives"], settings["telephone_event_clock"]) = ("96 opus 48000 97 105 0", "x")
        settings["also_redundancy"] = "200, x, 64"
        let other = try #require(StreamConfiguration(captureSettings: settings, seed: 2))
        #expect(other.receivedFormat == nil && other.telephoneEventClockRate == nil)
        #expect(other.redundancyPayloadTypes == [121, 64])
        #expect(StreamConfiguration(codec: .opus, seed: 1).captureSettings["receives"] == nil)
    }
}
