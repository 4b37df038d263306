import Metrics
import Reporting
import Testing

private func direction(delay: Double) -> CallStatistics {
    var statistics = CallStatistics()
    statistics.mouthToEarMilliseconds = delay
    statistics.ledger.capture = 5
    statistics.ledger.voiceProcessing = 8
    statistics.ledger.jitterBuffer = 21.26
    statistics.ledger.playback = 12
    statistics.packetsReceived = 500
    statistics.packetsLost = 5
    statistics.lostRatio = 0.01
    statistics.concealedRatio = 0.004
    statistics.concealedShort = 2
    statistics.concealedLong = 0
    statistics.echo = EchoFigures()
    statistics.echo?.converged = true
    statistics.echo?.erleDecibels = 24.6
    statistics.levelSentDecibels = -22
    statistics.levelHeardDecibels = -23.5
    statistics.xruns = XrunFigures(capture: 0, playback: 0)
    return statistics
}

@Test("A loopback report shows both directions side by side, the delay stage by stage") func loopbackGolden() {
    var report = LoopbackReport()
    report.aToB = direction(delay: 74.3)
    report.bToA = direction(delay: 75)
    report.bToA.ledger.playback = nil
    report.durationSeconds = 20
    report.convergenceSeconds = 1.44
    report.gaps = 0
    report.seed = 7
    report.scenario = "loss=1"
    report.assertions = [
        AssertionOutcome(expression: "mouth_to_ear_ms<100", value: .number(75), passed: true),
        AssertionOutcome(expression: "mos_lq>4", value: nil, passed: false),
    ]
    let expected = """
        loopback of 00:20, network loss=1, seed 7
                                    A to B        B to A
        mouth to ear               74.3 ms       75.0 ms
          capture device            5.0 ms        5.0 ms
          voice processing          8.0 ms        8.0 ms
          jitter buffer            21.3 ms       21.3 ms
          playback device          12.0 ms             -
        packets received               500           500
        lost                        1.00 %        1.00 %
        concealed                   0.40 %        0.40 %
          short, long                 2, 0          2, 0
        echo                    gone 25 dB    gone 25 dB
        level sent              -22.0 dBov    -22.0 dBov
        level heard             -23.5 dBov    -23.5 dBov
        xruns mic, speaker            0, 0          0, 0
        echo gone after      1.4 s
        gaps                 0
        pass  mouth_to_ear_ms<100  (found 75)
        FAIL  mos_lq>4  (not measured)
        verdict: good; 1 of 2 assertions missed
        """
    #expect(ReportText.lines(report).joined(separator: "\n") == expected)
}

@Test("Gaps stand there by their cause once a machine caused any") func gapsByCause() {
    var report = CallReport()
    report.statistics.gapsByCause = GapFigures()
    report.statistics.gapsByCause?.network = GapSum(count: 2, milliseconds: 40)
    #expect(!ReportText.lines(report).contains { $0.hasPrefix("gaps:") })
    report.statistics.gapsByCause?.sender = GapSum(count: 1, long: 1, milliseconds: 130.6)
    let lines = ReportText.lines(report).filter { $0.hasPrefix("gaps:") }
    #expect(
        lines == [
            "gaps: this machine         0, 0 ms", "gaps: the sender's       1, 131 ms", "gaps: network             2, 40 ms",
        ])
}

@Test("How long the loudspeaker had nothing stands below its underruns, where it had") func silentSpeaker() {
    var report = CallReport()
    report.statistics.xruns = XrunFigures(capture: 0, playback: 2, silentMilliseconds: 61.25)
    let lines = ReportText.lines(report)
    #expect(lines.contains("xruns mic, speaker            0, 2") && lines.contains("  speaker silent           61.3 ms"))
    report.statistics.xruns = XrunFigures(capture: 0, playback: 0, silentMilliseconds: 0)
    #expect(!ReportText.lines(report).contains { $0.contains("speaker silent") })
}

@Test("A call's report says what was granted instead of what was asked for") func callReport() {
    var report = CallReport()
    report.durationSeconds = 3725
    report.reason = "remote_hangup"
    report.requested = ["rate": "44100"]
    report.effective = ["rate": "48000", "codec": "opus"]
    report.statistics.packetsReceived = 0
    let lines = ReportText.lines(report)
    #expect(lines.first == "call of 1:02:05, ended by remote_hangup")
    #expect(lines.contains("rate                 48000 (asked for 44100)"))
    #expect(lines.contains("codec                opus"))
    #expect(lines.last == "verdict: unknown (nothing was received)")
}

@Test("The verdict is as good as the worst figure, and says which") func verdict() {
    #expect(Verdict(direction(delay: 150)).grade == .good)
    #expect(Verdict(direction(delay: 151)).grade == .fair)
    #expect(Verdict(direction(delay: 401)).text == "poor (delay 401 ms)")
    var echoing = direction(delay: 70)
    echoing.echo?.converged = false
    echoing.concealedRatio = 0.2
    #expect(Verdict(echoing).text == "poor (20.0 % concealed; echo not removed)")
    var dry = direction(delay: 70)
    dry.playoutGaps = 0
    #expect(Verdict(dry).text == "good")
    dry.playoutGaps = 1
    #expect(Verdict(dry).text == "fair (1 play-out gap)")
    dry.playoutGaps = 21
    #expect(Verdict(dry).text == "poor (21 play-out gaps)")
    var unplayed = direction(delay: 70)
    unplayed.concealedRatio = nil
    #expect(Verdict(unplayed).text == "unknown (nothing was played of what was received)")
    var report = LoopbackReport()
    report.aToB = direction(delay: 70)
    #expect(Verdict(report).grade == nil)
    report.bToA = direction(delay: 200)
    #expect(Verdict(report).text == "fair (B to A: delay 200 ms)")
    report.gaps = 1
    #expect(Verdict(report).text == "fair (B to A: delay 200 ms; 1 gap)")
}

@Test("Where nothing leads an echo back, none is gone after a time, and the verdict blames none") func noEchoPath() {
    var report = LoopbackReport()
    (report.aToB, report.bToA) = (direction(delay: 70), direction(delay: 70))
    report.convergenceSeconds = 4.4
    for path in [\LoopbackReport.aToB, \.bToA] { report[keyPath: path].echo?.noEchoPath = true }
    report.aToB.echo?.converged = false
    let lines = ReportText.lines(report)
    #expect(lines.contains("echo                       no echo       no echo"), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("echo gone after") } && lines.last == "verdict: good")
    report.bToA.echo?.noEchoPath = false
    #expect(ReportText.lines(report).contains("echo gone after      4.4 s"))
}

@Test("The status line never outgrows the terminal and drops the least important things first", arguments: 0...120)
func statusWidth(width: Int) {
    var mood = CallMood()
    mood.hasMedia = true
    mood.muted = true
    let line = StatusText.line(seconds: 12, direction(delay: 74), mood, width: width, blocks: false)
    #expect(line.count <= width)
    if width >= 40 { #expect(line.hasPrefix("00:12  [muted]  delay 74 ms  loss 1.0 %")) }
}

@Test("The status line shows levels as bars and what is not known as nothing") func statusContent() {
    var mood = CallMood()
    mood.hasMedia = true
    let full = StatusText.line(seconds: 12, direction(delay: 74), mood, width: 200, blocks: false)
    #expect(full == "00:12  delay 74 ms  loss 1.0 %  mic ####..  ear ####..  echo gone 25 dB  ? keys")
    let empty = StatusText.line(seconds: -1, CallStatistics(), CallMood(), width: 200, blocks: true)
    #expect(empty == "00:00  waiting for the other side  mic         ear         ? keys")
    #expect(!StatusText.logLine(seconds: 5, CallStatistics(), mood).contains("delay"))
}

@Test("Numbers for people are rounded, never in exponents") func numbers() {
    #expect(Text.fixed(0.05, 1) == "0.1" && Text.fixed(-0.04, 1) == "0.0" && Text.fixed(-1.25, 2) == "-1.25")
    #expect(Text.fixed(.nan, 1) == "-" && Text.fixed(1e300, 0) == "-" && Text.fixed(1999.5, 0) == "2000")
    #expect(Text.clock(.infinity) == "00:00" && Text.clock(59.99) == "00:59" && Text.clock(3600) == "1:00:00")
}

@Test("The question about a key has a line for each thing, and a name in it makes none of its own") func peerLines() {
    var report = PeerReport(
        .unknown, name: "@a\nb", address: "192.0.2.1:5", fingerprint: "F", ownFingerprint: "O",
        words: (1...12).map { "w\($0)" })
    report.otherNames = ["c"]
    let lines = Event(.peer(report)).lines
    #expect(
        lines == [
            "@a\nb at 192.0.2.1:5 is not known", "  his key: F", "  our key: O", "  known as: c",
            "  words: w1 w2 w3 w4 - w5 w6 w7 w8 - w9 w10 w11 w12",
            "Who hears the same words from the other side, by a way that both trust, knows that nobody is between.",
            "a goes on and remembers this key, q refuses",
        ])
    report.state = .changed
    #expect(Event(.peer(report)).lines.count == 4)
    #expect(Event(.warning("x")).lines == ["warning: x"])
}
