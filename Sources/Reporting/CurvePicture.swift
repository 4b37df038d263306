import Glibc

/// Curves as a picture (SVG): a few panels below each other, to be read on a light ground and on a dark one.
package struct CurvePicture {
    /// Values that belong together.
    package struct Line {
        let name: String
        let points: [(x: Double, y: Double)]
        /// Whether the points stand by themselves.
        let isDots: Bool

        package init(_ name: String, _ points: [(x: Double, y: Double)], isDots: Bool = false) {
            self.name = name
            // What is no number, or beyond all that is measured, has no place.
            self.points = points.filter { abs($0.x) < 1e12 && abs($0.y) < 1e12 }
            self.isDots = isDots
        }
    }

    /// Lines over the same axes, whose names have their units.
    package struct Panel {
        let (title, across, up): (String, String, String)
        /// Three at most: there are no more colours.
        let lines: [Line]
        /// Where the axes begin and end: round numbers around everything, the upright one from 0 on.
        let (x, y): (Axis, Axis)

        /// - Parameters:
        ///   - last, top: what the axes reach at least.
        ///   - fromZero: whether the one across begins there.
        ///   - isCount: whether upright there is nothing between whole numbers.
        package init(
            _ title: String, across: String, up: String, _ lines: [Line], last: Double? = nil, top: Double? = nil,
            fromZero: Bool = true, isCount: Bool = false
        ) {
            (self.title, self.across, self.up, self.lines) = (title, across, up, lines)
            let points = lines.flatMap(\.points)
            x = Axis(points.map { $0.x } + (last.map { [$0] } ?? []), from: fromZero ? 0 : nil)
            y = Axis(points.map { $0.y } + (top.map { [$0] } ?? []), from: 0, leastStep: isCount ? 1 : 0)
        }
    }

    struct Axis {
        let (first, last, step): (Double, Double, Double)

        init(_ values: [Double], from: Double?, leastStep: Double = 0) {
            let least = from ?? values.min() ?? 0
            let span = max((values.max() ?? 1) - least, abs(least) * 0.01, 1e-3) / 6
            let unit = pow(10, floor(log10(span)))
            step = max(leastStep, unit * ([1, 2, 5].first { unit * $0 >= span } ?? 10))
            first = floor(least / step) * step
            last = max(first + step, ceil((values.max() ?? 1) / step - 1e-9) * step)
        }

        /// Where names stand.
        var places: [Double] { (0...Int(((last - first) / step).rounded())).map { first + Double($0) * step } }
        func share(_ value: Double) -> Double { (value - first) / (last - first) }
        func name(_ value: Double) -> String { Text.fixed(value, max(0, Int(ceil(-log10(step) - 1e-9)))) }
    }

    private static let (width, height, head) = (760.0, 300.0, 34.0)
    private static let (left, right, top, bottom) = (64.0, 740.0, 44.0, 256.0)
    private static let style = """
        <style>text{fill:#222;font:12px sans-serif}.name{font-weight:bold}.ground{fill:#fff}path,line{fill:none}\
        .grid{stroke:#e2e2e2}.axis{stroke:#555}.c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.line{stroke-width:2}\
        .dots{stroke-width:5;stroke-linecap:round}@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181c}\
        .grid{stroke:#33373d}.axis{stroke:#999}.c0{stroke:#56b4e9}.c1{stroke:#f0a040}.c2{stroke:#40c9a0}}</style>
        """

    let title: String
    let panels: [Panel]

    package init(_ title: String, _ panels: [Panel]) { (self.title, self.panels) = (title, panels) }

    /// The picture.
    package var svg: String {
        let (width, height) = (Int(Self.width), Int(Self.head + Double(panels.count) * Self.height))
        let size = "viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\""
        var parts = ["<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)>", Self.style]
        parts.append("<rect class=\"ground\" width=\"\(width)\" height=\"\(height)\"/>")
        parts.append(text(Self.width / 2, 23, title, "middle", "name"))
        for (index, panel) in panels.enumerated() {
            parts.append("<g transform=\"translate(0 \(Self.number(Self.head + Double(index) * Self.height)))\">")
            parts += drawn(panel) + ["</g>"]
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func drawn(_ panel: Panel) -> [String] {
        func across(_ x: Double) -> Double { Self.left + (Self.right - Self.left) * panel.x.share(x) }
        func up(_ y: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * panel.y.share(y) }
        var parts = [text(Self.left, 14, panel.title, "start", "name")]
        for place in panel.y.places {
            parts.append(rule(Self.left, up(place), Self.right, up(place), place == panel.y.first ? "axis" : "grid"))
            parts.append(text(Self.left - 7, up(place) + 4, panel.y.name(place), "end"))
        }
        for place in panel.x.places {
            parts.append(rule(across(place), Self.bottom, across(place), Self.bottom + 4, "axis"))
            parts.append(text(across(place), Self.bottom + 17, panel.x.name(place), "middle"))
        }
        parts.append(text((Self.left + Self.right) / 2, Self.bottom + 34, panel.across, "middle"))
        let (middle, place) = ((Self.top + Self.bottom) / 2, "rotate(-90 14 \(Self.number((Self.top + Self.bottom) / 2)))")
        parts.append("<g transform=\"\(place)\">\(text(14, middle, panel.up, "middle"))</g>")
        if panel.lines.allSatisfy(\.points.isEmpty) {
            return parts + [text((Self.left + Self.right) / 2, middle, "nothing was measured", "middle")]
        }
        var at = Self.left
        for (index, line) in panel.lines.prefix(3).enumerated() {
            let places = line.points.map { "\(Self.number(across($0.x))) \(Self.number(up($0.y)))" }
            // A point is a line without length, whose ends are round.
            let path =
                line.isDots
                ? places.map { "M\($0)h0" }.joined() : (places.isEmpty ? "" : "M") + places.joined(separator: "L")
            let look = "c\(index) \(line.isDots ? "dots" : "line")"
            parts.append("<path class=\"\(look)\" d=\"\(path)\"/>")
            guard panel.lines.count > 1 else { continue }
            parts.append("<path class=\"\(look)\" d=\"M\(Self.number(at + 8)) 30h\(line.isDots ? 0 : 12)\"/>")
            parts.append(text(at + 26, 34, line.name, "start"))
            at += 46 + 6.5 * Double(line.name.count)
        }
        return parts
    }

    private func text(_ x: Double, _ y: Double, _ said: String, _ anchor: String, _ look: String = "") -> String {
        let place = "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\""
        return "<text \(place)\(look.isEmpty ? "" : " class=\"\(look)\"")>\(Self.plain(said))</text>"
    }

    private func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ look: String) -> String {
        let ends = "x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))\" y2=\"\(Self.number(y2))\""
        return "<line class=\"\(look)\" \(ends)/>"
    }

    private static func number(_ value: Double) -> String { Text.fixed(value, 1) }

    /// What means something in XML, or may not stand in it, is written so that it does not.
    private static func plain(_ said: String) -> String {
        said.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case let other where other.value < 0x20 || other.value == 0x7f || other.value & 0xfffe == 0xfffe: text += "\u{fffd}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
