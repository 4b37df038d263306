import Foundation
import TestPrograms
import Testing

@Suite("The program's load") struct LoadProgramTests {
    private func refused(_ arguments: [String], saying words: [String]) throws {
        let ending = try yodel(["load"] + arguments)
        #expect(ending.status == 2 && ending.output.isEmpty, "\(arguments): \(ending)")
        for word in words { #expect(ending.errors.contains(word), "\(arguments): \(ending.errors)") }
    }

    @Test(
        "calls by yodel:// are refused with what there is in their place",
        arguments: ["yodel://127.0.0.1", "YODEL://x:1", "yodel://"])
    func personToPerson(uri: String) throws {
        try refused([uri], saying: ["one call after the other", "'\(uri)'", "call rtp:// or sip:"])
    }

    @Test(
        "a mix of codecs that makes no sense, or stands beside another word for codecs, is refused",
        arguments: [
            (["rtp://127.0.0.1:4", "--mix", "pcmu"], "CODEC=SHARE"), (["sip:a@127.0.0.1", "--mix", "pcmu=0"], "1 to 1000"),
            (["rtp://127.0.0.1:4", "--mix", "pcmu=1", "--codec", "opus"], "leave out --codec"),
            (["sip:a@127.0.0.1", "--mix", "pcmu=1,opus=1", "--codec", "opus"], "leave out --codec"),
            (["rtp://127.0.0.1:4?codec=opus", "--mix", "pcmu=1"], "leave out codec and pt"),
            (["rtp://127.0.0.1:4?pt=0", "--mix", "pcmu=1"], "leave out codec and pt"),
            (["rtp://127.0.0.1:4?codec=any", "--mix", "pcmu=1"], "leave out codec=any"),
        ])
    func mix(arguments: [String], words: String) throws { try refused(arguments, saying: [words, "; "]) }

    @Test(
        "an option that a load has no use for is refused, and its help does not name it",
        arguments: ["--latency=low", "--redundancy=100", "--rtcp-interval=2", "--max-bitrate=30000", "--dtx"])
    func useless(option: String) throws {
        let name = String(option.prefix { $0 != "=" })
        try refused(["rtp://127.0.0.1:4", "--calls", "1", "--hold", "1", option], saying: [name])
        let help = try yodel(["help", "load"]).output
        #expect(!help.contains(name) && help.contains("--codec <codec>") && help.contains("--complexity <n>"), "\(help)")
    }

    @Test("help has the range of each number that is the load's own") func ranges() throws {
        let words = try yodel(["help", "load"]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for range in ["(1 to 10000)", "(up to 1000)", "(1 to 86400)"] { #expect(words.contains(range), "\(words)") }
    }

    @Test("a picture that cannot be written is told before anybody is called", arguments: ["/nonexistent/load.svg", "/", ""])
    func pictureRefused(path: String) throws {
        try refused(["rtp://127.0.0.1:4", "--calls", "1", "--hold", "1", "--picture", path], saying: ["\(path); name a place"])
    }

    @Test("a picture is drawn of a load that nobody answered, too, in place of what was in the file")
    func picture() throws {
        let nobody = try LoopbackSocket()
        let file = try TemporaryFile(String(repeating: "x", count: 100_000), ending: "svg")
        let arguments = ["load", "rtp://127.0.0.1:\(nobody.port)", "--calls", "2", "--hold", "1", "--codec", "pcmu"]
        let ending = try yodel(arguments + ["--picture", file.path])
        #expect(ending.status == 3, "\(ending)")
        let drawn = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(drawn.hasPrefix("<svg ") && drawn.hasSuffix("</svg>\n") && drawn.contains("2 calls to 127.0.0.1:"))
        #expect(drawn.contains("nothing was measured") && drawn.contains("Calls at once"))
    }
}
