import Glibc

/// Runs every benchmark and prints medians: as a table, or as one JSON object with `--json`. `--quick` takes a tenth of
/// the time, to see that all of it runs.
let usage = "usage: yodel-benchmarks [--json] [--quick]\n"
var json = false
var quick = false
for argument in CommandLine.arguments.dropFirst() {
    switch argument {
    case "--json": json = true
    case "--quick": quick = true
    case "--help", "-h":
        print(usage, terminator: "")
        exit(0)
    default:
        _ = usage.withCString { write(2, $0, strlen($0)) }
        exit(2)
    }
}

do {
    let rings = try RingComparison(rounds: quick ? 21 : 301, blocksPerRound: 4_000).run()
    let stages = try StageCosts(rounds: quick ? 11 : 101).run()
    let badLine = try BadLine.costs(minutes: quick ? 2 : 20)
    let report = Report(rings: rings, stages: stages + badLine)
    print(json ? report.json : report.text)
} catch {
    print("benchmarks: \(error)")
    exit(1)
}
