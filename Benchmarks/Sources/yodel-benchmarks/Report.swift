/// The results, for people and for scripts. Names are snake_case with the unit last and stay the same.
struct Report {
    let rings: [RingComparison.Result]
    let stages: [StageCosts.Cost]

    var text: String {
        var lines = ["480 Float samples            yodel ns    jack ns   ratio to jack"]
        for ring in rings {
            lines.append(
                Self.left(ring.name, 24) + Self.number(ring.nanoseconds, 0, 13)
                    + Self.number(ring.jackNanoseconds, 0, 11) + Self.number(ring.ratioToJack, 2, 16))
        }
        lines += ["", "stage                       us for 20 ms   % of a processor   ratio to opus"]
        for stage in stages {
            lines.append(
                Self.left(stage.name, 28) + Self.number(stage.nanosecondsPer20ms / 1000, 2, 12)
                    + Self.number(stage.load * 100, 3, 19)
                    + (stage.ratioToOpusDecode.map { Self.number($0, 2, 16) } ?? ""))
        }
        return lines.joined(separator: "\n")
    }

    var json: String {
        let rings = rings.map {
            #"{"name":"\#($0.name)","yodel_ns":\#(Self.number($0.nanoseconds, 1)),"#
                + #""jack_ns":\#(Self.number($0.jackNanoseconds, 1)),"#
                + #""ratio_to_jack":\#(Self.number($0.ratioToJack, 3))}"#
        }
        let stages = stages.map {
            #"{"name":"\#($0.name)","per_20ms_ns":\#(Self.number($0.nanosecondsPer20ms, 1)),"#
                + #""load_ratio":\#(Self.number($0.load, 6))"#
                + ($0.ratioToOpusDecode.map { #","ratio_to_opus_decode":\#(Self.number($0, 3))"# } ?? "") + "}"
        }
        return #"{"rings":[\#(rings.joined(separator: ","))],"stages":[\#(stages.joined(separator: ","))]}"#
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func number(_ value: Double, _ digits: Int, _ width: Int = 0) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((abs(value) * scale).rounded())
        var text = String(scaled / Int(scale))
        if digits > 0 {
            let rest = String(scaled % Int(scale))
            text += "." + String(repeating: "0", count: digits - rest.count) + rest
        }
        if value < 0, scaled != 0 { text = "-" + text }
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
