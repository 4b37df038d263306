import Foundation
import Settings
import Testing

/// A pcap file of bare IPv4 (link type 101), little-endian, microseconds, of PCMU from one port.
private func pcap(_ packets: [(seconds: Double, sequence: Int)], octets: Int = 1) -> Data {
    func little(_ values: [Int]) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
    func big(_ values: [Int]) -> [UInt8] { values.flatMap { [UInt8($0 >> 8 & 255), UInt8($0 & 255)] } }
    var bytes: [UInt8] = little([0xa1b2_c3d4, 2 | 4 << 16, 0, 0, 65_535, 101])
    for (index, packet) in packets.enumerated() {
        var rtp: [UInt8] = [0x80, 0]
        rtp += big([packet.sequence, index * 160 >> 16, index * 160, 0, 7])
        rtp += [UInt8](repeating: 0x7f, count: octets)
        let whole = Int(packet.seconds.rounded(.down))
        bytes += little([
            1_700_000_000 + whole, Int((packet.seconds - Double(whole)) * 1e6), 28 + rtp.count, 28 + rtp.count,
        ])
        bytes += [0x45, 0]
        bytes += big([28 + rtp.count, 0, 0])
        bytes += [64, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1]
        bytes += big([5000, 4000, 8 + rtp.count, 0])
        bytes += rtp
    }
    return Data(bytes)
}

@Suite("A stranger's file") struct HostileFileTests {
    private let files: MediaFiles
    /// Far above what the program needs, far below what these files would make it take; in KiB of address space.
    private static let memory = 3_000_000

    init() throws { files = try MediaFiles() }

    private func replay(_ capture: Data, name: String = "capture.pcap") throws -> Ending {
        let path = try files.write(name, capture)
        return try yodel(
            ["replay", "--pcap", path, "--out", files.path("heard.wav"), "--report", files.path("page.html")],
            memoryLimitKiB: Self.memory)
    }

    @Test("a capture with a pause of 30 days is played around the pause, and says so", .disabled(if: isSanitized))
    func pause() throws {
        let packets = (0..<50).map { number -> (seconds: Double, sequence: Int) in
            let pause = number < 25 ? 0 : 30.0 * 86_400
            return (pause + 0.02 * Double(number), number)
        }
        let ending = try replay(pcap(packets, octets: 160))
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("passed over") && ending.output.contains("\"left_out\""), "\(ending)")
        // Half a second, what is played of the pause, half a second and the tail.
        let seconds = Double(try files.samples("heard.wav").count) / 8000
        #expect((30...34).contains(seconds), "\(seconds)")
    }

    @Test("a capture that is all pauses ends after an hour of sound, and says so", .disabled(if: isSanitized))
    func pauses() throws {
        let packets = (0..<10_000).map { number -> (seconds: Double, sequence: Int) in
            let pause = number < 10 ? 0 : 25.0 * Double(number)
            return (pause + 0.02 * Double(number), number)
        }
        let ending = try replay(pcap(packets))
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("3600 s"), "\(ending.errors)")
        #expect(try files.data("heard.wav").count <= 3600 * 8000 * 2 + 100)
    }

    @Test("a capture whose numbers jump draws no more lost packets than can be seen", .disabled(if: isSanitized))
    func steps() throws {
        let packets = (0..<18_000).map { number -> (seconds: Double, sequence: Int) in
            let sequence = number < 10_000 ? number : (number - 9_999) * 2990 + 9_999
            return (0.02 * Double(number), sequence)
        }
        let ending = try replay(pcap(packets))
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("not drawn"), "\(ending.errors)")
        #expect(try files.data("page.html").count < 20_000_000)
    }

    @Test("a capture whose pulls claim seconds plays none of them", .disabled(if: isSanitized))
    func pulls() throws {
        func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = little(UInt32(12 + padded.count))
            return little(type) + length + padded + length
        }
        func custom(_ content: UInt32, _ body: [UInt8]) -> [UInt8] {
            block(0x4000_0bad, little(UInt32(32_473)) + little(UInt32(0x5944_4c31)) + little(content) + body)
        }
        var file = block(0x0a0d_0d0a, little(UInt32(0x1a2b_3c4d)) + little(UInt32(1)) + little(Int64(-1)))
        file += block(1, little(UInt32(101)) + little(UInt32(0)))
        file += custom(1, Array("codec=opus\nepoch_ns=0\nlocal_address=7f000001\nlocal_ports=5004\n".utf8))
        var pulls: [UInt8] = little(UInt64(0))
        for number in 0..<65_000 {
            pulls += little(Int64(number) * 5_000_000)
            pulls += little(UInt32(48_000))
            pulls += little(UInt32(0))
        }
        file += custom(2, pulls)
        let ending = try replay(Data(file), name: "capture.pcapng")
        #expect(ending.status == 2 && ending.errors.contains("65000 pulls"), "\(ending.errors)")
        #expect(ending.errors.contains("no packet") && ending.errors.contains("--ssrc"), "\(ending.errors)")
        #expect(ending.errors.contains("nobody was heard") && !ending.errors.contains("--codec"), "\(ending.errors)")
        #expect(!FileManager.default.fileExists(atPath: files.path("heard.wav")), "nothing was heard")
    }

    @Test(
        "a configuration or graph that would keep the parser busy for minutes is refused with its line",
        .timeLimit(.minutes(20)),
        arguments: [
            (String(repeating: "[", count: 500_000), "deep"), (String(repeating: "- ", count: 200_000), "deep"),
            (String(repeating: "{a: ", count: 200_000), "deep"),
            ((0..<200_000).map { "a\($0 % 10_000 + 10_000): 1" }.joined(separator: "\n"), "values"),
            ((0..<80_000).map { "%TAG !\($0)! b" }.joined(separator: "\n") + "\n--- a", "directives"),
        ])
    func yaml(text: String, reason: String) throws {
        let text = "# a comment\n" + text.prefix(1_000_000)
        let path = try files.write("hostile.yaml", Data(text.utf8))
        for arguments in [["config", "--config", path], ["render", path, "--offline", "--out", files.path("out.wav")]] {
            let ending = try yodel(arguments)
            #expect(ending.status == 2 && ending.errors.split(separator: "\n").count == 1, "\(ending)")
            #expect(ending.errors.contains("\(path):"), "\(ending.errors.prefix(300))")
        }
        do {
            _ = try GraphDescription(path: path)
            Issue.record("it was taken")
        } catch {
            #expect("\(error)".contains(reason) || "\(error)".contains("twice"), "\(error)")
        }
    }

    @Test("a key of a megabyte is refused with its line, and is not told whole")
    func longKey() throws {
        let path = try files.write("long.yaml", Data("? \(String(repeating: "k", count: 1_000_000))\n: 1\n".utf8))
        for arguments in [["config", "--config", path], ["render", path, "--offline", "--out", files.path("out.wav")]] {
            let ending = try yodel(arguments)
            #expect(ending.status == 2 && ending.errors.split(separator: "\n").count == 1, "\(ending.errors.suffix(300))")
            #expect(ending.errors.contains("kk [...] kk") && ending.errors.contains("\(path):"), "\(ending.errors.suffix(300))")
            #expect(ending.errors.utf8.count < 20_000)
        }
    }

    @Test("a short loop is rendered for hours", .timeLimit(.minutes(20)))
    func loop() throws {
        let path = try files.tone("short.wav", seconds: 0.02, rate: 8000)
        let graph = try files.write(
            "graph.yaml",
            Data(
                "rate: 8000\nchannels: 1\nduration: 10800\nunits:\n  a: {type: player, file: \(path), loop: 0}\noutput: a\n"
                    .utf8))
        let ending = try yodel(["render", graph, "--offline", "--out", files.path("out.wav")])
        #expect(ending.status == 0, "\(ending)")
        #expect(try files.data("out.wav").count >= 10_800 * 8000 * 2)
    }
}
