import Foundation
import TestPrograms
import TestSignals

/// A PulseAudio server of one test, with null sinks `out` and `mic`; needs no hardware and no session.
final class PulseServer {
    let directory: String
    private var process: ChildProcess?

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
        // an idle null sink renders 2 s ahead; the silent loopbacks keep its blocks short
        let modules = [
            "module-native-protocol-unix auth-anonymous=1 socket=\(directory)/native",
            "module-null-sink sink_name=out rate=48000 channels=1",
            "module-null-sink sink_name=mic rate=48000 channels=1",
            "module-null-source source_name=hush rate=48000 channels=1",
            "module-loopback source=hush sink=mic latency_msec=20",
            "module-loopback source=hush sink=out latency_msec=20",
        ]
        let own = ["XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH", "HOME"].map { "\($0)=\(directory)" }
        let options = [
            "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
        ]
        process = try ChildProcess(
            ["/usr/bin/env"] + own + ["pulseaudio"] + options + modules.flatMap { ["-L", $0] }, output: .nowhere,
            errors: .nowhere)
        for _ in 0..<3000 {
            if FileManager.default.fileExists(atPath: directory + "/native") { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(300))
    }

    /// Ends it the hard way.
    func kill() {
        guard let process else { return }
        process.signal(SIGCONT)
        process.signal(SIGKILL)
        _ = process.status(afterSeconds: .infinity)
        self.process = nil
        try? FileManager.default.removeItem(atPath: directory + "/native")
    }

    /// Sends a signal, such as SIGSTOP to make it hang.
    func signal(_ number: Int32) { process?.signal(number) }
}
