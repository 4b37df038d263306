import Codecs
import Load
import Softphone
import Testing

@Suite("Codecs of the calls of a load") struct CodecMixTests {
    private func names(_ mix: CodecMix, calls: Int, seed: UInt64) -> [String] {
        (0..<calls).map { mix.codecs[mix.index(ofCall: $0, seed: seed)].name }
    }

    @Test("calls are made in the proportion that is written, whatever the seed", arguments: [0, 1, 4, UInt64.max])
    func proportion(seed: UInt64) throws {
        let made = names(try CodecMix(parsing: "pcmu=7,opus=3"), calls: 100, seed: seed)
        #expect(made.filter { $0 == "pcmu" }.count == 70 && made.filter { $0 == "opus" }.count == 30)
    }

    @Test("those of a codec are spread evenly, and never stand in a block")
    func spread() throws {
        let made = names(try CodecMix(parsing: "pcmu=7,opus=3"), calls: 100, seed: 5)
        let places = made.indices.filter { made[$0] == "opus" }
        let steps = zip(places, places.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { (3...4).contains($0) }, "\(steps)")
        let three = names(try CodecMix(parsing: "pcmu=1,pcma=1,opus=1"), calls: 9, seed: 1)
        #expect((0..<7).allSatisfy { Set(three[$0..<$0 + 3]).count == 3 }, "\(three)")
    }

    @Test("the same seed makes the same calls, another one begins elsewhere")
    func seeded() throws {
        let mix = try CodecMix(parsing: "pcmu=7,opus=3")
        #expect(names(mix, calls: 40, seed: 8) == names(mix, calls: 40, seed: 8))
        #expect(Set((0..<10).map { names(mix, calls: 10, seed: $0) }).count > 1)
    }

    @Test("what is written is told in its shortest form")
    func text() throws {
        #expect(try CodecMix(parsing: "pcmu=700,opus=300").text == "pcmu=7,opus=3")
        #expect(try CodecMix(parsing: "pcma=4").text == "pcma" && CodecMix(.opus).text == "opus")
        #expect(try CodecMix(parsing: "pcma=1000,opus=999").index(ofCall: 9999, seed: .max) >= 0)
    }

    @Test(
        "what makes no sense is refused, and said where",
        arguments: [
            ("", "''"), ("pcmu", "'pcmu' is not"), ("pcmu=7,", "'' is not"), ("g729=1", "'g729' is no codec"),
            ("pcmu=0", "'0'"), ("pcmu=-1", "'-1'"), ("pcmu=1001", "'1001'"), ("pcmu=99999999999999999999", "is no share"),
            ("pcmu=a", "'a'"),
            ("pcmu=1=2", "'1=2'"), ("pcmu=1,pcmu=2", "pcmu stands twice"), ("=3", "'' is no codec"),
            ("pcmu=1 opus=1", "'1 opus=1'"),
        ])
    func refused(text: String, said: String) {
        let error = #expect(throws: SoftphoneError.self) { try CodecMix(parsing: text) }
        let told = error.map { "\($0)" } ?? ""
        #expect(told.contains(said) && told.contains("in --mix '\(text)'"), "\(told)")
    }
}
