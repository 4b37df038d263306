import Codecs
import Media
import Realtime
import Testing

@Suite("An announcement") struct AnnouncementTests {
    @Test("replaces the frame until it ends; the rest of its last frame is silence, then the microphone is back")
    func replaces() {
        var announcement = Announcement(samples: [1, 2, 3, 4, 5])
        var frame: [Float] = [9, 9, 9]
        announcement.replace(&frame)
        #expect(frame == [1, 2, 3] && announcement.isPlaying)
        frame = [9, 9, 9]
        announcement.replace(&frame)
        #expect(frame == [4, 5, 0] && !announcement.isPlaying)
        frame = [9, 9, 9]
        announcement.replace(&frame)
        #expect(frame == [9, 9, 9])
    }

    @Test("that is empty replaces nothing")
    func empty() {
        var announcement = Announcement(samples: [])
        var frame: [Float] = [7]
        announcement.replace(&frame)
        #expect(frame == [7] && !announcement.isPlaying)
    }

    @Test("is what the other side hears first, also of a muted side, and then the microphone")
    func inCall() throws {
        let speaker = try Endpoint(
            seeds: [1], microphone: sine(500, amplitude: 0.2, rate: 16_000),
            adjust: { $0.announcement = (0..<32_000).map(sine(900, amplitude: 0.2, rate: 16_000)) })
        let listener = try Endpoint(seeds: [2])
        everyTenMilliseconds(to: 5) { now in
            speaker.step(now: now)
            listener.step(now: now)
            speaker.links[0].carry(to: listener.call, now: now)
        }
        let heard = listener.device.played
        #expect(amplitude(of: 900, in: heard[8000..<24_000], rate: 16_000) > 0.19)
        #expect(amplitude(of: 500, in: heard[8000..<24_000], rate: 16_000) < 0.001)
        #expect(amplitude(of: 500, in: heard[48_000..<64_000], rate: 16_000) > 0.19)
    }
}
