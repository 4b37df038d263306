import JitterBuffer
import Reporting

/// What a person looks at to see why a call was bad: one self-contained HTML page, a time line of arrivals, losses, target,
/// level, reasons and waveform. `ReplayPage` holds the page; here is what it draws.
public struct ReplayPicture {
    /// Name of what was replayed.
    public var title: String
    public var figures: ReplayFigures
    public var rows: [ReplayRow]
    public var arrivals: [ReplayArrival]
    /// What was heard, block after block of `rows`.
    public var heard: [Float]
    /// Samples a second of `heard`.
    public var sampleRate: Int

    public init(
        title: String, figures: ReplayFigures, rows: [ReplayRow], arrivals: [ReplayArrival], heard: [Float],
        sampleRate: Int
    ) {
        self.title = title
        self.figures = figures
        self.rows = rows
        self.arrivals = arrivals
        self.heard = heard
        self.sampleRate = sampleRate
    }

    /// The page.
    public var html: String {
        ReplayPage.text(title: Self.escaped(title), data: Self.embedded(data.text))
    }

    /// Reasons in the order of their numbers in the page; resets of all kinds are one.
    private static let reasons: [PlayoutReason] = [
        .waiting, .normal, .comfortNoise, .accelerate, .decelerate, .fec, .redundancy, .concealShort, .concealLong,
        .discardLate, .discardOverflow,
    ]

    private var data: JSONValue {
        .object([
            JSONMember("figures", figures.json),
            JSONMember("reasons", .array(Self.reasons.map { .string($0.name) } + [.string("reset")])),
            JSONMember("rows", .array(rows.map(Self.row))),
            JSONMember("arrivals", .array(arrivals.map(Self.arrival))),
            JSONMember("wave", .array(wave)),
        ])
    }

    private static func row(_ row: ReplayRow) -> JSONValue {
        .array([
            .number(row.milliseconds, decimals: 1), .integer(reasons.firstIndex(of: row.reason) ?? reasons.count),
            .number(row.targetMs, decimals: 1), .number(row.levelMs, decimals: 1),
            row.delayMs.map { .number($0, decimals: 1) } ?? .null,
        ])
    }

    private static func arrival(_ arrival: ReplayArrival) -> JSONValue {
        .array([
            .number(arrival.sentMilliseconds, decimals: 1),
            arrival.arrivalMilliseconds.map { .number($0, decimals: 1) } ?? .null,
        ])
    }

    /// Least and greatest sample of each row, in percent of full scale.
    private var wave: [JSONValue] {
        guard !rows.isEmpty else { return [] }
        return rows.indices.map { index in
            let first = heard.count * index / rows.count
            let last = heard.count * (index + 1) / rows.count
            var (low, high) = (Float(0), Float(0))
            for sample in heard[first..<last] { (low, high) = (min(low, sample), max(high, sample)) }
            return .array([.integer(Self.percent(low)), .integer(Self.percent(high))])
        }
    }

    private static func percent(_ sample: Float) -> Int { Int((100 * min(max(sample, -1), 1)).rounded()) }

    /// JSON inside a script element must not end it.
    private static func embedded(_ json: String) -> String {
        json.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
