import Reporting
import Testing

@Suite("Columns on a terminal") struct TextColumnsTests {
    @Test(
        "wide characters and emoji take two, what combines takes none",
        arguments: [
            ("", 0), ("abc", 3), ("äß€", 3), ("日本語", 6), ("한국", 4), ("ｆｕ", 4), ("e\u{301}", 1), ("😀", 2), ("a😀b", 4),
            ("❤\u{fe0f}", 2), ("█·", 2), ("\u{1100}\u{1161}", 2), ("𠀀", 2),
        ])
    func columns(_ text: String, _ count: Int) {
        #expect(Text.columns(text) == count)
    }

    @Test("the end of a text fits, and no character is cut in two")
    func suffix() {
        #expect(Text.suffix("text: hello", columns: 5) == "hello")
        #expect(Text.suffix("日本語", columns: 5) == "本語")
        #expect(Text.suffix("ae\u{301}", columns: 1) == "e\u{301}")
        #expect(Text.suffix("日本", columns: 80) == "日本")
        #expect(Text.suffix("日", columns: 1).isEmpty && Text.suffix("a", columns: -1).isEmpty)
    }

    @Test("a status line leaves out what would scroll")
    func line() {
        #expect(LevelBar.line(["日本語", "ab"], width: 10) == "日本語  ab")
        #expect(LevelBar.line(["日本語", "ab"], width: 9) == "日本語")
    }
}
