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
}
