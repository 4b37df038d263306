import Foundation

/// A PulseAudio server of one test, with null sinks `out` and `mic`; needs no hardware and no session.
final class PulseServer {
    let directory: String
    private var process: Process?

    /// Tests that need a server run where `scripts/test` says that PulseAudio is installed.
    static var isWanted: Bool { ProcessInfo.processInfo.environment["YODEL_TEST_PULSE"] == "1" }

    init() throws {
        directory = try temporaryDirectory()
        setenv("PULSE_SERVER", "unix:" + directory + "/native", 1)
        setenv("PULSE_COOKIE", directory + "/cookie", 1)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts the server and waits until it answers.
    func start() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // an idle null sink renders 2 s ahead; the silent loopbacks keep its blocks short
        let modules = [
            "module-native-protocol-unix auth-anonymous=1 socket=\(directory)/native",
            "module-null-sink sink_name=out rate=48000 channels=1",
            "module-null-sink sink_name=mic rate=48000 channels=1",
            "module-null-source source_name=hush rate=48000 channels=1",
            "module-loopback source=hush sink=mic latency_msec=20",
            "module-loopback source=hush sink=out latency_msec=20",
        ]
        process.arguments =
            [
                "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no",
                "--high-priority=no",
            ] + modules.flatMap { ["-L", $0] }
        var environment = ProcessInfo.processInfo.environment
        for key in ["XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH", "HOME"] {
            environment[key] = directory
        }
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        for _ in 0..<250 {
            if FileManager.default.fileExists(atPath: directory + "/native") { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(300))
    }

    /// Ends it the hard way.
    func kill() {
        guard let process else { return }
        signal(SIGCONT)
        signal(SIGKILL)
        process.waitUntilExit()
        self.process = nil
        try? FileManager.default.removeItem(atPath: directory + "/native")
    }

    /// Sends a signal, such as SIGSTOP to make it hang.
    func signal(_ number: Int32) {
        if let process { Foundation.kill(process.processIdentifier, number) }
    }
}
