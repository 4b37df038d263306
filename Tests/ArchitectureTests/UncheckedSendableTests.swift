import Testing

@Suite("What threads share on our word instead of the compiler's") struct UncheckedSendableTests {
    private static let conformance = "@unchecked Sendable"
    /// As many as there are. Who can do with fewer lowers it.
    private static let most = 83

    @Test("the doc comment of each unchecked conformance to Sendable says why it holds, and their number does not grow")
    func reasons() throws {
        var count = 0
        for file in try Repository.files(in: "Sources", endingIn: [".swift"]) {
            for (index, line) in file.lines.enumerated() where Self.isDeclaration(line) {
                count += 1
                #expect(
                    Self.saysWhy(file.lines[..<index]),
                    "\(file.path):\(index + 1): say in the doc comment, behind \"Sendable: \", what protects it")
            }
        }
        try #require(count > 20)
        #expect(count <= Self.most, "a lock, an atomic or a value that is handed over does without")
    }

    @Test("a reason counts only in the doc comment of its own declaration")
    func ownReason() {
        #expect(Self.saysWhy(["/// A cord.", "///", "    /// Sendable: it is an atomic.", "    @frozen"]))
        #expect(!Self.saysWhy(["/// A cord.", "@frozen"]))
        #expect(!Self.saysWhy(["/// Sendable: ", "@frozen"]))
        #expect(!Self.saysWhy(["/// Sendable: it is an atomic.", "struct Other: @unchecked Sendable {"]))
        #expect(!Self.saysWhy(["/// Sendable: it is an atomic.", ""]))
    }

    private static func isDeclaration(_ line: Substring) -> Bool {
        line.contains(conformance) && !line.drop { $0 == " " }.hasPrefix("//")
    }

    /// Whether the comments and attributes that `lines` end with name a reason.
    private static func saysWhy(_ lines: ArraySlice<Substring>) -> Bool {
        let own = lines.reversed().lazy.map { $0.drop { $0 == " " } }.prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
        let start = "/// Sendable: "
        return own.contains { $0.hasPrefix(start) && $0.count > start.count }
    }
}
