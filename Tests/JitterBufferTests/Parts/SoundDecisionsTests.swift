import JitterBuffer
import Testing

@Suite("What the sound decided") struct SoundDecisionsTests {
    @Test("is kept in few words, in parts, and read back as it was")
    func text() {
        let decisions = SoundDecisions(areGiven: true)
        decisions.add("0*3,-80,5*2")
        decisions.add("7")
        #expect(decisions.parts() == ["0*3,-80,5*2,7"])
        #expect(decisions.parts(runs: 3) == ["0*3,-80,5*2", "7"])
        #expect(SoundDecisions().parts().isEmpty)
    }

    @Test(
        "from a file that claims anything is read up to what makes no sense",
        arguments: [
            ("1,x,2", ["1"]), ("", []), ("1*0", []), ("1*-3", []), ("1*2*3", []), ("1*99999999999", []),
            ("4*9223372036854775807", []),
            ("*", []), ("3*3999999,3*2", ["3*3999999"]),
        ] as [(String, [String])])
    func hostile(part: String, read: [String]) {
        let decisions = SoundDecisions(areGiven: true)
        decisions.add(part)
        #expect(decisions.parts() == read)
    }
}
