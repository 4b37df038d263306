import Foundation
import Glibc
import Testing

@Suite("An edge that takes no more") struct StalledEdgeTests {
    private let files: MediaFiles
    private static let call = ["--device", "null", "--period", "20", "--no-realtime", "--codec", "pcmu"]
    /// How long the program may take to end: far more than it needs on a busy machine, for ever where it hangs.
    private static let patience = 120.0

    init() throws { files = try MediaFiles() }

    /// Somebody who sends back what is heard, and the URI to call them.
    private func echo() throws -> (program: RunningProgram, uri: String) {
        // Below the ports that the kernel gives to whoever asks for none.
        let port = Int.random(in: 5_000..<16_000) * 2
        let program = try RunningProgram(
            ["listen", "rtp://127.0.0.1:\(port)", "--echo", "--json", "--duration", "120"] + Self.call, pipeBytes: 1 << 20)
        _ = program.read(until: { $0.contains("call_started") })
        return (program, "rtp://127.0.0.1:\(port)")
    }

    @Test("a dump or capture into a pipe that is not read costs lines, is told while the call lasts, and ends with it")
    func pipes() throws {
        let folder = files.path("dump")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var readers: [Int32] = []
        defer { for reader in readers { close(reader) } }
        for path in [folder + "/jitter_buffer.csv", files.path("packets.pcapng")] {
            #expect(mkfifo(path, 0o600) == 0)
            readers.append(open(path, O_RDONLY | O_NONBLOCK))
            setPipeSize(readers[readers.count - 1], 4096)
        }
        let other = try echo()
        let program = try RunningProgram(
            ["call", other.uri, "--json", "--dump", folder, "--capture", files.path("packets.pcapng")] + Self.call)
        let told = program.read(until: { $0.contains("jitter_buffer.csv is too slow") }, seconds: 60)
        #expect(told.contains("jitter_buffer.csv is too slow"), "\(told.suffix(600))")
        #expect(!told.contains("call_ended"))
        program.terminate()
        let rest = program.readAll()
        #expect(program.end(within: Self.patience) == 0, "\(rest.suffix(600)) \(program.complaints)")
        other.program.terminate()
        _ = other.program.end(within: Self.patience)
    }

    @Test("a dump into a pipe that nobody opened is refused at once")
    func unopened() throws {
        #expect(mkfifo(files.path("packets.pcapng"), 0o600) == 0)
        let ending = try yodel(
            ["call", "rtp://127.0.0.1:9", "--capture", files.path("packets.pcapng"), "--duration", "1"] + Self.call)
        #expect(ending.status == 2 && ending.errors.contains("packets.pcapng"), "\(ending.errors)")
    }

    @Test(
        "the first signal ends a program that waits for a FIFO that nobody writes",
        arguments: [
            ["call", "rtp://127.0.0.1:9", "--config", "FIFO"], ["call", "rtp://127.0.0.1:9", "--play", "FIFO"],
            ["call", "rtp://127.0.0.1:9", "--input", "file:FIFO", "--output", "null"],
            ["listen", "rtp://127.0.0.1:9", "--parties", "2", "--play", "FIFO", "--device", "null"],
            ["call", "sip:a@127.0.0.1:9", "--play", "FIFO"], ["call", "yodel://127.0.0.1:9", "--config", "FIFO"],
            ["loopback", "--config", "FIFO"], ["softphone", "--config", "FIFO"], ["devices", "--config", "FIFO"],
            ["accounts", "--config", "FIFO"], ["check", "--config", "FIFO"], ["play", "FIFO", "--device", "null"],
            ["record", "recorded.wav", "--device", "file:FIFO"], ["render", "FIFO", "--offline"],
        ])
    func unwritten(arguments: [String]) throws {
        let fifo = files.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let words = arguments.map {
            $0 == "recorded.wav" ? files.path($0) : $0.replacingOccurrences(of: "FIFO", with: fifo)
        }
        for (status, send) in [(143, { $0.terminate() }), (130, { $0.interrupt() })] as [(Int32, (RunningProgram) -> Void)] {
            let program = try RunningProgram(words)
            #expect(wait(seconds: Self.patience) { program.heedsSignals }, "\(program.complaints)")
            send(program)
            #expect(program.end(within: Self.patience) == status, "\(program.complaints)")
        }
    }

    @Test("text of strangers reaches the terminal with its control characters shown")
    func controls() throws {
        let name = "evil\u{1b}]0;title\u{07}\u{9b}31m\nyodel: forged\u{202e}.wav"
        let path = try files.tone(name, seconds: 0.2)
        let played = try yodel(["play", path, "--device", "null", "--no-realtime"])
        #expect(
            played.status == 0 && played.output.contains("\\u001b]0;title\\u0007\\u009b31m\\u000ayodel"), "\(played.output)")
        let refused = try yodel(["call", "rtp://127.0.0.1:9", "--device", "alsa:\u{1b}[2Jx"])
        let json = try yodel(["play", path, "--device", "null", "--no-realtime", "--json"])
        for line in json.output.split(separator: "\n") {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
        for text in [played.output, played.errors, refused.errors, json.output] {
            #expect(
                !text.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || (0x7f..<0xa0).contains($0.value) || $0.value == 0x202e
                })
        }
        #expect(!refused.errors.isEmpty && played.output.split(separator: "\n").allSatisfy { !$0.hasPrefix("yodel: forged") })
    }

    @Test(
        "numbers that are huge, negative or none are refused, or mean what they say",
        arguments: [
            "9223372036854775807", "-9223372036854775808", "nan", "-inf", "1e308", "4294967296", "99999999999999999999",
        ])
    func numbers(value: String) throws {
        let sound = try files.tone("a.wav", seconds: 0.1, rate: 16_000)
        let out = files.path("out.wav")
        let null = ["--device", "null", "--no-realtime", "--duration", "0.05"]
        var commands: [[String]] = []
        for option in ["rate", "channels", "device-rate", "period"] {
            commands.append(["record", out, "--\(option)=\(value)"] + null)
        }
        for option in ["loop", "start", "rate", "pan", "gain", "eq", "device-rate", "period"] {
            commands.append(["play", sound, "--\(option)=\(value)"] + null)
        }
        for option in ["rate", "noise-suppression-db"] {
            commands.append([
                "process", "--rate", "16000", "--far", sound, "--mic", sound, "--out", out, "--\(option)=\(value)",
            ])
        }
        for option in ["rate", "ptime", "bitrate", "reports", "fec"] {
            commands.append(["replay", "--in", sound, "--trace", "wifi", "--out", out, "--\(option)=\(value)"])
        }
        for option in ["rate", "period", "bitrate", "max-bitrate", "redundancy", "rtcp-interval", "complexity", "ptime"] {
            commands.append(["loopback", "--offline", "--duration", "0.2", "--\(option)=\(value)"])
        }
        for key in ["loss", "jitter", "delay", "rate", "reorder", "duplicate", "spike", "burst"] {
            commands.append([
                "loopback", "--offline", "--duration", "0.2", "--network",
                "\(key)=\(key == "spike" ? value + ":" : "")\(value)",
            ])
        }
        for key in ["drift", "noise"] {
            commands.append(["loopback", "--offline", "--duration", "0.2", "--room", "small,\(key)=\(value)"])
        }
        for key in ["pt", "ptime", "rtcp", "local"] { commands.append(["call", "rtp://127.0.0.1:9?\(key)=\(value)"] + null) }
        commands.append(["call", "rtp://127.0.0.1:\(value)"] + null)
        for arguments in commands {
            let ending = try yodel(arguments)
            // No trap (128 and more), no internal error (1).
            #expect([0, 2, 6, 8].contains(ending.status), "\(arguments): \(ending.status) \(ending.errors.suffix(300))")
        }
    }
}
