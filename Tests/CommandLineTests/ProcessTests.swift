import Foundation
import Testing

/// A folder that goes away with the test.
private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("process-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: path) }

    func file(_ name: String) -> String { path.appendingPathComponent(name).path }

    func write(_ name: String, _ samples: [Int16]) throws -> String {
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    func samples(_ name: String) throws -> [Int16] {
        try Data(contentsOf: URL(fileURLWithPath: file(name))).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }
}

/// Noise in bursts of 0.2 s every 0.5 s, which leaves pauses as speech has them, peak 8000.
private func bursts(rate: Int, seconds: Double, seed: UInt64) -> [Int16] {
    var state = seed
    return (0..<Int(Double(rate) * seconds)).map { index in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        guard index % (rate / 2) < rate / 5 else { return 0 }
        return Int16(truncatingIfNeeded: Int(state >> 40) % 16_001 - 8_000)
    }
}

private func power(_ samples: ArraySlice<Int16>) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count)) + 1e-9
}

private func report(_ ending: Ending) throws -> [String: Any] {
    let lines = ending.output.split(separator: "\n")
    try #require(lines.count == 2, "\(ending)")
    #expect(try #require(Double(lines[0])) > 0)
    return try #require(JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
}

@Test(
    "`yodel process` takes the echo out of a file, at every rate and quality, and says what it cost",
    arguments: zip([8_000, 16_000, 32_000, 48_000], ["low", "medium", "high", "medium"]))
func processCancels(rate: Int, quality: String) throws {
    let folder = try Folder()
    let far = bursts(rate: rate, seconds: 8, seed: 7)
    let delay = rate / 50
    let mic = far.indices.map { $0 < delay ? 0 : far[$0 - delay] / 2 }
    let ending = try yodel([
        "process", "--rate", "\(rate)", "--far", try folder.write("far", far), "--mic", try folder.write("mic", mic),
        "--out", folder.file("out"), "--quality", quality, "--no-gain-control",
    ])
    #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
    let figures = try report(ending)
    #expect(figures["rate"] as? Int == rate && figures["quality"] as? String == quality)
    #expect(figures["duration_s"] as? Double == 8)
    let echo = try #require(figures["echo"] as? [String: Any])
    #expect(echo["converged"] as? Bool == true)
    #expect(try #require(figures["convergence_s"] as? Double) < 8)
    let out = try folder.samples("out")
    #expect(out.count == mic.count)
    let attenuation = 10 * log10(power(mic[(6 * rate)...]) / power(out[(6 * rate)...]))
    #expect(attenuation > 15, "\(attenuation) dB")
}

@Test("With everything switched off the output is the input, late by the latency that is told")
func processIsAligned() throws {
    let folder = try Folder()
    let rate = 16_000
    // No whole number of blocks, and a far end that is shorter: what is missing is silence.
    let mic = bursts(rate: rate, seconds: 3.0071, seed: 3)
    let ending = try yodel([
        "process", "--rate", "\(rate)", "--far", try folder.write("far", [Int16](repeating: 0, count: 100)), "--mic",
        try folder.write("mic", mic), "--out", folder.file("out"), "--no-echo-cancellation", "--no-noise-suppression",
        "--no-gain-control",
    ])
    let figures = try report(ending)
    #expect(figures["echo"] == nil && figures["echo_canceller"] == nil)
    let latency = try #require(figures["latency_ms"] as? Double)
    let out = try folder.samples("out")
    #expect(out.count == mic.count)
    func error(_ shift: Int) -> Double {
        power((rate..<mic.count - 200).map { Int16(clamping: Int(out[$0]) - Int(mic[$0 - shift])) }[...])
    }
    let best = try #require((0...400).min { error($0) < error($1) })
    #expect(abs(Double(best) * 1000 / Double(rate) - latency) < 0.1, "\(best) samples, told \(latency) ms")
    #expect(error(best) < power(mic[...]) / 1000)
}

@Test("WAV goes in and out, runs repeat bit for bit, and a dump has every signal as long as the output")
func processWAVAndDump() throws {
    let folder = try Folder()
    let far = try folder.write("far", bursts(rate: 16_000, seconds: 1, seed: 1))
    let mic = try folder.write("mic", bursts(rate: 16_000, seconds: 1, seed: 2))
    let start = ["process", "--rate", "16000", "--far", far]
    #expect(try yodel(start + ["--mic", mic, "--out", folder.file("a.wav")]).status == 0)
    let again = start + ["--mic", mic, "--out", folder.file("b.wav"), "--dump", folder.file("dump")]
    #expect(try yodel(again).status == 0)
    let first = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.wav")))
    #expect(first.prefix(4) == Data("RIFF".utf8) && first.count == 44 + 32_000)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("b.wav"))) == first)
    let second = start + ["--mic", folder.file("a.wav"), "--out", folder.file("c")]
    #expect(try yodel(second).status == 0)
    #expect(try folder.samples("c").count == 16_000)
    for name in ["microphone", "reference", "after_echo_cancellation", "output"] {
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("dump/\(name).wav"))).count == 44 + 32_000, "\(name)")
    }
}

@Test("Files, rates and folders that cannot be are refused with one line and exit status 2")
func processRefuses() throws {
    let folder = try Folder()
    let good = try folder.write("good", [Int16](repeating: 100, count: 1_600))
    let empty = try folder.write("empty", [])
    let odd = folder.file("odd")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: odd))
    let notAudio = folder.file("text.wav")
    try Data("no audio at all".utf8).write(to: URL(fileURLWithPath: notAudio))
    func refused(
        _ names: String, rate: String = "16000", far: String? = nil, mic: String? = nil, out: String? = nil,
        _ more: String...
    ) throws {
        let ending = try yodel(
            ["process", "--rate", rate, "--far", far ?? good, "--mic", mic ?? good, "--out", out ?? folder.file("out")]
                + more)
        #expect(ending.status == 2 && ending.errors.contains(names) && ending.output.isEmpty, "\(names): \(ending)")
        #expect(ending.errors.hasPrefix("yodel: ") && ending.errors.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
    }
    try refused("/nonexistent", far: "/nonexistent")
    try refused("/nonexistent", mic: "/nonexistent")
    try refused("no samples", far: empty)
    try refused("no samples", mic: empty)
    try refused("odd number", mic: odd)
    try refused("text.wav", far: notAudio)
    try refused("Is a directory", far: folder.path.path)
    try refused("/nonexistent/out", out: "/nonexistent/out")
    for rate in ["0", "-8000", "7900", "48100", "16050", "sixteen"] { try refused("rate", rate: rate) }
    let rates = "8000, 12000, 16000, 24000, 32000 or 48000; with speexdsp"
    for rate in ["7900", "48100", "44100"] { try refused(rates, rate: rate) }
    let odder = ["process", "--rate", "44100", "--far", good, "--mic", good, "--out", folder.file("speexdsp")]
    #expect(try yodel(odder + ["--echo-canceller", "speexdsp"]).status == 0)
    #expect(try yodel(["process", "--help"]).output.contains("12000"), "the help names the rates too")
    try refused("is a file", "--dump", good)
    try refused("quality", "--quality", "best")
    try refused("echo-canceller", "--echo-canceller", "magic")
    try refused("--noise-suppression-db", "--noise-suppression-db=-99")
    let silent = try yodel(["process", "--far", good, "--mic", good, "--out", folder.file("out")])
    #expect(silent.status == 2 && silent.errors.contains("--rate"))
}
