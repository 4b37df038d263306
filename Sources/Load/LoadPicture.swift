import Realtime
import Reporting

/// What a load measured as a picture: how long sound was on its way, how many calls ran, and what of its delay was the load's own.
package struct LoadPicture {
    private struct Call {
        let began: HostTime
        let ended: HostTime
        let delay: Double?
        let lateness: Double
    }

    /// Points of a curve of very many values.
    private static let shares = 400

    private var calls: [Call] = []

    package init() {}

    /// Takes a call that is over.
    package mutating func add(_ report: LoadCallReport) {
        guard let began = report.firstSent else { return }
        calls.append(
            Call(
                began: began, ended: report.endedAt ?? began, delay: report.delayMilliseconds,
                lateness: report.latestMilliseconds))
    }

    /// - Parameters:
    ///   - title: whom the calls went to, and how many there were.
    ///   - packets: the delay that a share of all packets, 0...1, does not exceed.
    package func svg(_ title: String, packets: (Double) -> Double?) -> String {
        let start = calls.map(\.began).min() ?? .zero
        func seconds(_ time: HostTime) -> Double { time.milliseconds(since: start) / 1000 }
        let ofPackets = (0...Self.shares).compactMap { place in
            packets(Double(place) / Double(Self.shares)).map { (x: $0, y: 100 * Double(place) / Double(Self.shares)) }
        }
        let over = "s since the first packet of the load"
        return CurvePicture(
            title,
            [
                .init(
                    "Mouth to ear: how much of all took no longer", across: "mouth to ear, ms", up: "% of calls, of packets",
                    [.init("calls (their means)", shares(of: calls.compactMap(\.delay))), .init("packets", ofPackets)],
                    top: 100, fromZero: false),
                .init("Calls at once", across: over, up: "calls", [.init("calls", steps(seconds))], isCount: true),
                .init(
                    "Each call, at its beginning", across: over, up: "ms",
                    [
                        .init(
                            "mouth to ear, its mean",
                            calls.compactMap { call in call.delay.map { (x: seconds(call.began), y: $0) } }, isDots: true),
                        .init(
                            "the load's own lateness, at most", calls.map { (x: seconds($0.began), y: $0.lateness) },
                            isDots: true),
                    ], last: calls.map { seconds($0.ended) }.max()),
            ]
        ).svg
    }

    /// What share of them is not greater, in per cent, as a line of steps.
    private func shares(of values: [Double]) -> [(x: Double, y: Double)] {
        let step = 100 / Double(max(1, values.count))
        return values.sorted().enumerated().flatMap { place, value in
            [(x: value, y: Double(place) * step), (x: value, y: Double(place + 1) * step)]
        }
    }

    /// How many calls run, as a line of steps.
    private func steps(_ seconds: (HostTime) -> Double) -> [(x: Double, y: Double)] {
        let changes = (calls.map { (seconds($0.began), 1.0) } + calls.map { (seconds($0.ended), -1.0) }).sorted { $0 < $1 }
        var now = 0.0
        return changes.flatMap { time, change in
            let before = now
            now += change
            return [(x: time, y: before), (x: time, y: now)]
        }
    }
}
