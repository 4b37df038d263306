import Foundation
import TestSignals

/// A PulseAudio server of one test, with null sinks `out` and `mic`; needs no hardware and no session.
final class PulseServer {
    let directory: String
    private var process: pid_t?

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
        process = try spawn(
            ["/usr/bin/env"] + own + ["pulseaudio"] + options + modules.flatMap { ["-L", $0] })
        for _ in 0..<3000 {
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
        waitpid(process, nil, 0)
        self.process = nil
        try? FileManager.default.removeItem(atPath: directory + "/native")
    }

    /// Sends a signal, such as SIGSTOP to make it hang.
    func signal(_ number: Int32) {
        if let process { Foundation.kill(process, number) }
    }
}

/// Starts a program with this environment and no output.
///
/// Not by Foundation's `Process`: a server closes every descriptor it inherits, which that takes for its end, and it then waits
/// for it on the one thread that watches all processes of these tests.
private func spawn(_ arguments: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, arguments[0], &actions, nil, &words, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return process
}
