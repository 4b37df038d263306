/// How much room text takes on a terminal.
extension Text {
    /// Columns that a terminal takes for `text`: two for what is wide in East Asia and for emoji, none for what combines with the
    /// character before it (Unicode UAX 11). Where terminals differ it is the greater number: too short a line does not scroll.
    public static func columns(_ text: String) -> Int {
        var sum = 0
        var last = 0
        for scalar in text.unicodeScalars {
            // It makes an emoji of what is a sign without it.
            last = scalar.value == 0xFE0F ? (last == 1 ? 1 : 0) : columns(scalar)
            sum += last
        }
        return sum
    }

    /// The end of `text`, as much as fits into `columns`, no character cut in two.
    public static func suffix(_ text: String, columns: Int) -> String {
        var rest = columns
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            rest -= Self.columns(String(text[before]))
            guard rest >= 0 else { break }
            start = before
        }
        return String(text[start...])
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        // Most text is this.
        if scalar.value < 0x300 { return 1 }
        if wide.contains(where: { $0.contains(scalar.value) }) || scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        // Vowels and final consonants of Hangul, drawn into the syllable.
        default: return (0x1160...0x11FF).contains(scalar.value) ? 0 : 1
        }
    }

    /// W and F of EastAsianWidth.txt, without emoji, and with what is not assigned between them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D37F, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
