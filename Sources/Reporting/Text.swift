/// Numbers and columns for people.
public enum Text {
    /// `value` with exactly `decimals` digits after the point; `-` when it is no number.
    public static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "-" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let units = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(units) }
        let digits = String(units)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }

    /// A ratio 0…1 as percent.
    public static func percent(_ ratio: Double) -> String { fixed(ratio * 100, ratio < 0.1 ? 2 : 1) + " %" }

    /// Seconds as `MM:SS`, or `H:MM:SS` from an hour on.
    public static func clock(_ seconds: Double) -> String {
        let whole = seconds.isFinite ? max(0, Int(min(seconds, 1e9))) : 0
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let short = "\(two(whole / 60 % 60)):\(two(whole % 60))"
        return whole < 3600 ? short : "\(whole / 3600):\(short)"
    }

    /// `text` with spaces in front of it.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// `text` with spaces behind it.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// `1 gap`, `2 gaps`.
    static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
