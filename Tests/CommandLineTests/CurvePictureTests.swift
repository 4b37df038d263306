import Reporting
import Testing

@Suite("Curves as a picture") struct CurvePictureTests {
    private func picture(_ lines: [CurvePicture.Line], title: String = "a load", top: Double? = nil) -> String {
        CurvePicture(title, [.init("Delay", across: "delay, ms", up: "%", lines, top: top)]).svg
    }

    @Test("axes have names with units, round numbers, and everything lies between their ends")
    func axes() {
        let svg = picture([.init("calls", [(x: 12, y: 0), (x: 47, y: 100)]), .init("packets", [(x: 13, y: 2)], isDots: true)])
        #expect(isWellFormed(svg), "\(svg)")
        for text in ["delay, ms", "%", "calls", "packets", "a load", ">50<", ">100<", ">0<"] {
            #expect(svg.contains(text), "\(text)")
        }
        #expect(svg.contains("prefers-color-scheme:dark"))
        #expect(svg.contains("d=\"M226.2 256.0L"), "\(svg)")
    }

    @Test("what means something in XML, or may not stand in it, does neither")
    func titles() {
        let svg = picture([], title: "a<b> & \"c\" \u{1}\u{1b}[1m\u{fffe} ü 😀")
        #expect(isWellFormed(svg) && svg.contains("a&lt;b&gt; &amp; \"c\"") && svg.contains("ü 😀"), "\(svg)")
    }

    @Test("what was not measured is said to be so")
    func empty() {
        #expect(picture([]).contains("nothing was measured") && picture([.init("calls", [])], top: 100).contains("nothing was"))
        #expect(!picture([.init("calls", [(x: 1, y: 1)])]).contains("nothing was"))
    }

    @Test("values that are none, or beyond everything, are left out; the smallest and the greatest have axes")
    func extremes() {
        let odd = [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e300]
        let svg = picture([.init("odd", odd.map { (x: $0, y: 1.0) } + odd.map { (x: 1.0, y: $0) })])
        #expect(svg.contains("nothing was measured") && isWellFormed(svg))
        for value in [0, 1e-9, 0.004, 0.3, 7, 999, 1e6, 1e11] {
            let svg = picture([.init("one", [(x: value, y: value)])])
            #expect(isWellFormed(svg) && !svg.contains("nan") && !svg.contains("inf"), "\(value): \(svg)")
        }
    }
}

/// Whether a text is XML: every tag is closed by its own name, and no mark stands alone.
private func isWellFormed(_ text: String) -> Bool {
    var open: [Substring] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == ">" || $0 == "&" }) {
        rest = rest[start...]
        if rest.first == "&" {
            guard ["&amp;", "&lt;", "&gt;"].contains(where: { rest.hasPrefix($0) }) else { return false }
            rest = rest.dropFirst()
            continue
        }
        guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return false }
        let tag = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        if tag.hasPrefix("/") {
            guard open.popLast() == tag.dropFirst() else { return false }
        } else if !tag.hasSuffix("/") {
            open.append(tag.prefix { $0 != " " })
        }
    }
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }
    return open.isEmpty && isPlain
}
