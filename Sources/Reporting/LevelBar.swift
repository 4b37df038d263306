/// A level as a bar on a terminal.
public enum LevelBar {
    /// From -60 to 0 dBov, `cells` wide; empty when there is no level.
    ///
    /// - Parameter blocks: block characters (a UTF-8 terminal) rather than `#`.
    public static func text(_ level: Double?, cells: Int = 6, blocks: Bool) -> String {
        guard let level, level.isFinite else { return String(repeating: " ", count: cells) }
        let full = max(0, min(cells, Int(((level + 60) / 60 * Double(cells)).rounded())))
        return String(repeating: blocks ? "█" : "#", count: full)
            + String(repeating: blocks ? "·" : ".", count: cells - full)
    }

    /// `parts` with two spaces between them, as many as fit into `width` columns; the important ones stand first.
    public static func line(_ parts: [String], width: Int) -> String {
        var line = ""
        for part in parts {
            let longer = line.isEmpty ? part : "\(line)  \(part)"
            guard Text.columns(longer) <= width else { break }
            line = longer
        }
        return line
    }
}
