import Glibc

/// A program that a test runs, with a pipe for what it prints and one for what it complains of.
///
/// Not Foundation's `Process`: that learns of an end when the last copy of a socket is closed, and any other child that is
/// started meanwhile may keep such a copy. Two tests that wait so hold both threads on which tests run, for ever.
/// Here no other child inherits the pipes, and an end is asked for by `waitpid`.
public final class ChildProcess {
    /// Where what it says goes.
    public enum Output {
        /// Read by the test; `bytes` is the room in the pipe (the kernel rounds up to a page).
        case pipe(bytes: Int? = nil)
        /// Together with standard output.
        case withOutput
        case file(String)
        case nowhere
    }

    public struct NotStarted: Error, CustomStringConvertible {
        public let description: String
    }

    public let identifier: pid_t
    /// Reading ends of the pipes; -1 where there is none.
    public let output: Int32
    public let errors: Int32
    private var ended: Int32?

    /// - Parameters:
    ///   - arguments: the program's path first.
    ///   - environment: all of it; nil: that of the tests.
    public init(
        _ arguments: [String], environment: [String: String]? = nil, output: Output = .pipe(), errors: Output = .pipe()
    ) throws(NotStarted) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let (outputEnd, outputClosing) = try Self.direct(output, to: STDOUT_FILENO, &actions)
        let (errorsEnd, errorsClosing) = try Self.direct(errors, to: STDERR_FILENO, &actions)
        defer { for descriptor in [outputClosing, errorsClosing] where descriptor >= 0 { close(descriptor) } }
        // The threads on which tests run block signals: a child that inherited that would not end when asked to.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var started: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&started, arguments[0], &actions, &attributes, &words, environ)
            : posix_spawn(&started, arguments[0], &actions, &attributes, &words, &variables)
        self.output = outputEnd
        self.errors = errorsEnd
        identifier = code == 0 ? started : -1
        guard code == 0 else { throw NotStarted(description: "\(arguments[0]): \(String(cString: strerror(code)))") }
    }

    deinit {
        if identifier > 0, ended == nil {
            kill(identifier, SIGKILL)
            _ = status(afterSeconds: .infinity)
        }
        for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
    }

    public func signal(_ number: Int32) { if ended == nil { kill(identifier, number) } }

    /// Its exit status, or 128 and the number of the signal that ended it; nil while it runs after `seconds`.
    public func status(afterSeconds seconds: Double) -> Int32? {
        if let ended { return ended }
        var status: Int32 = 0
        let end = Self.now() + seconds
        while true {
            switch waitpid(identifier, &status, seconds == .infinity ? 0 : WNOHANG) {
            case identifier:
                ended = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
                return ended
            case -1 where errno != EINTR: return nil
            default: if Self.now() >= end { return nil }
            }
            usleep(2000)
        }
    }

    /// Everything that it says, until it has closed both pipes or `seconds` have passed.
    public func readAll(withinSeconds seconds: Double) -> (output: [UInt8], errors: [UInt8]) {
        var said: [[UInt8]] = [[], []]
        var places = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let end = Self.now() + seconds
        while places.contains(where: { $0.fd >= 0 }), Self.now() < end {
            guard poll(&places, 2, 100) > 0 else { continue }
            for index in places.indices where places[index].revents != 0 {
                let bytes = Self.read(places[index].fd)
                if bytes.isEmpty { places[index].fd = -1 }
                said[index] += bytes
            }
        }
        return (said[0], said[1])
    }

    /// What is there on standard output; waits for it for `milliseconds`. Empty where there is nothing; nil at its end.
    public func readOutput(waitingMilliseconds milliseconds: Int32) -> [UInt8]? {
        var place = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&place, 1, milliseconds) > 0 else { return [] }
        let bytes = Self.read(output)
        return bytes.isEmpty ? nil : bytes
    }

    private static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
            count = max(0, Glibc.read(descriptor, room.baseAddress, room.count))
        }
    }

    /// The end that the test reads, and what to close once the child is started.
    private static func direct(
        _ output: Output, to descriptor: Int32, _ actions: inout posix_spawn_file_actions_t
    ) throws(NotStarted) -> (reading: Int32, closing: Int32) {
        switch output {
        case .pipe(let bytes):
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else {
                throw NotStarted(description: "pipe: \(String(cString: strerror(errno)))")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // F_SETPIPE_SZ
            if let bytes { _ = fcntl(ends[1], 1031, Int32(bytes)) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
            return (ends[0], ends[1])
        case .withOutput: posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, descriptor)
        case .file(let path):
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        case .nowhere: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        return (-1, -1)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// Seconds after which a program of a test hangs: many times what the slowest needs on a busy machine.
public let hangSeconds = 600.0
