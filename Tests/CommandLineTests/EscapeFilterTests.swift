import Terminal
import Testing

@Suite("Keys of a terminal that send several bytes") struct EscapeFilterTests {
    /// What is left of `parts`, each of which came at once.
    private func left(_ parts: [String]) -> String {
        var filter = EscapeFilter()
        return String(decoding: parts.flatMap { filter.take($0.utf8) }, as: UTF8.self)
    }

    @Test(
        "arrows, function keys and the marks of what is pasted are no keys of their own",
        arguments: [
            ("\u{1b}[A", ""), ("\u{1b}OD", ""), ("\u{1b}[15~", ""), ("\u{1b}[1;5C", ""), ("\u{1b}[[A", ""),
            ("a\u{1b}[Bm", "am"),
            ("\u{1b}[A\u{1b}[B\u{1b}OP5", "5"), ("\u{1b}[200~12#\u{1b}[201~", "12#"), ("\u{1b}q", ""), ("\u{1b}\u{1b}[A", ""),
            ("\u{1b}ä", "ä"), ("A1[O~", "A1[O~"),
        ])
    func sequences(_ bytes: String, _ keys: String) {
        #expect(left([bytes]) == keys)
    }

    @Test("a sequence that comes in two parts is one all the same, wherever it is cut")
    func cut() {
        #expect(left(["\u{1b}[", "A1"]) == "1")
        #expect(left(["\u{1b}[1;", "5D1"]) == "1")
        #expect(left(["\u{1b}O", "P1"]) == "1")
        #expect(left(["\u{1b}[", "", "15", "~1"]) == "1")
    }

    @Test("Escape counts where nothing follows at once, and what is typed next counts too")
    func alone() {
        #expect(left(["\u{1b}"]) == "\u{1b}")
        #expect(left(["ab\u{1b}", "q"]) == "ab\u{1b}q")
        #expect(left(["\u{1b}", "[A1"]) == "\u{1b}1")
        #expect(left(["\u{1b}\u{1b}", "1"]) == "\u{1b}1")
    }

    @Test("what breaks off a sequence is a key")
    func broken() {
        #expect(left(["\u{1b}[1\r5"]) == "\r5")
        #expect(left(["\u{1b}[1\u{1b}[Aq"]) == "q")
    }

    @Test("a text that is typed is not dropped by an arrow")
    func typed() {
        var (filter, line) = (EscapeFilter(), LineEntry("text", isText: true))
        let outcomes = filter.take("hello\u{1b}[D you\r".utf8).map { line.take($0) }
        #expect(outcomes.last == .done("hello you"))
    }
}
