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

    /// What somebody has read so far.
    private final class Fed: SampleStream, @unchecked Sendable {
        var waiting: [Float]
        var isDone: Bool
        var isOver: Bool { isDone && waiting.isEmpty }

        init(_ waiting: [Float], isDone: Bool = false) { (self.waiting, self.isDone) = (waiting, isDone) }

        func take(into target: UnsafeMutablePointer<Float>, count: Int) -> Int {
            let taken = min(count, waiting.count)
            for i in 0..<taken { target[i] = waiting[i] }
            waiting.removeFirst(taken)
            return taken
        }
    }

    @Test("goes on with what is read ahead: what is late is silence and comes then, and after the end the microphone is back")
    func stream() {
        let fed = Fed([2, 3, 4])
        var announcement = Announcement(samples: [1], stream: fed)
        var heard: [[Float]] = []
        func next() {
            var frame: [Float] = [9, 9, 9]
            announcement.replace(&frame)
            heard.append(frame)
        }
        next()
        next()
        #expect(announcement.isPlaying)
        next()
        (fed.waiting, fed.isDone) = ([5, 6, 7, 8], true)
        next()
        next()
        #expect(!announcement.isPlaying)
        next()
        #expect(heard == [[1, 2, 3], [4, 0, 0], [0, 0, 0], [5, 6, 7], [8, 0, 0], [9, 9, 9]])
    }

    @Test("is the same packets whether it is there whole or read ahead")
    func samePackets() throws {
        let samples = (0..<16_100).map(sine(900, amplitude: 0.2, rate: 16_000))
        let speakers = try [
            Endpoint(seeds: [1], microphone: sine(500, amplitude: 0.2, rate: 16_000)) { $0.announcement = samples },
            Endpoint(seeds: [1], microphone: sine(500, amplitude: 0.2, rate: 16_000)) {
                $0.announcementStream = Fed(samples, isDone: true)
            },
        ]
        everyTenMilliseconds(to: 2) { now in for speaker in speakers { speaker.step(now: now) } }
        #expect(speakers[0].links[0].rtp.count > 50)
        #expect(speakers[0].links[0].rtp == speakers[1].links[0].rtp)
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
