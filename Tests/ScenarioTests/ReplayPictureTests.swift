import JitterBuffer
import Media
import RTP
import Simulation
import Testing

@Suite("The picture of a replay") struct ReplayPictureTests {
    private func picture(title: String) throws -> String {
        var configuration = CallConfiguration(codec: .opus, seed: 1)
        configuration.sampleRate = 16_000
        var talker = SyntheticTalker(sampleRate: 16_000, pitch: 120, seed: 9)
        let replay = try TraceReplay(
            speech: talker.converse(seconds: 6, turnSeconds: 4, startsSilent: false),
            trace: NetworkTrace(delays: (0..<300).map { $0 % 10 == 3 ? nil : 20 }), configuration: configuration)
        replay.run()
        return ReplayPicture(
            title: title, figures: replay.figures, rows: replay.rows, arrivals: replay.arrivals, heard: replay.heard,
            sampleRate: 16_000
        ).html
    }

    @Test("is one page that loads nothing, with every packet and every block on it")
    func selfContained() throws {
        let page = try picture(title: "a & b")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("<title>a &amp; b"))
        for word in ["http:", "https:", "src=", "@import", "url("] { #expect(!page.contains(word), "\(word)") }
        // 300 packets, 30 of them without an arrival.
        let arrivals = try #require(page.split(separator: "\"arrivals\":").last).prefix { $0 != "}" }
        #expect(arrivals.contains("[0,20]") && arrivals.contains("[60,null]"))
        #expect(page.contains("conceal_short"))
    }

    @Test("shows a file's name as text, whatever it is")
    func hostileTitle() throws {
        let page = try picture(title: "</script><img onerror=x>")
        #expect(!page.contains("<img") && page.contains("&lt;img"))
    }

    @Test("of nothing is a page too")
    func empty() throws {
        let replay = try TraceReplay(
            speech: [], trace: NetworkTrace(delays: [nil]), configuration: CallConfiguration(codec: .pcmu, seed: 1))
        let page = ReplayPicture(
            title: "", figures: replay.figures, rows: [], arrivals: [], heard: [], sampleRate: 8000
        ).html
        #expect(page.contains("\"rows\":[]"))
    }
}
