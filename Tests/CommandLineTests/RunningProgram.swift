import Foundation
import Glibc
import TestPrograms

/// The program while it runs, with pipes that the test reads, or does not.
final class RunningProgram {
    private let process: ChildProcess
    private let errors = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).err")

    /// - Parameters:
    ///   - pipeBytes: room in the pipe of standard output.
    ///   - command: of the shell that becomes the program.
    init(_ arguments: [String], pipeBytes: Int? = nil, after command: String? = nil) throws {
        let shell = command.map { ["/bin/bash", "-c", $0 + "; exec \"$0\" \"$@\""] } ?? []
        process = try ChildProcess(
            shell + [programPath()] + arguments, environment: programEnvironment(), output: .pipe(bytes: pipeBytes),
            errors: .file(errors.path))
    }

    deinit { try? FileManager.default.removeItem(at: errors) }

    var complaints: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    func terminate() { process.signal(SIGTERM) }
    func interrupt() { process.signal(SIGINT) }

    /// Whether it heeds the signals that end it by now.
    var heedsSignals: Bool { heeds(SIGINT) && heeds(SIGTERM) }

    /// Whether it heeds a signal itself (proc(5)).
    func heeds(_ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let caught = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
        return caught >> UInt64(signal - 1) & 1 == 1
    }

    /// Its exit status; nil, and it is killed, when it has not ended by itself after `seconds`.
    func end(within seconds: Double) -> Int32? {
        let status = process.status(afterSeconds: seconds)
        if status == nil { process.signal(SIGKILL) }
        return status
    }

    /// Everything it says until it ends.
    func readAll() -> String { String(decoding: process.readAll(withinSeconds: hangSeconds).output, as: UTF8.self) }

    /// Reads what is there, until `isEnough` of all that was read.
    func read(until isEnough: (String) -> Bool, seconds: Double = 120) -> String {
        var text = ""
        _ = wait(seconds: seconds) {
            guard let bytes = process.readOutput(waitingMilliseconds: 20) else { return true }
            text += String(decoding: bytes, as: UTF8.self)
            return isEnough(text)
        }
        return text
    }
}

/// Looks until `isTrue`, at most `seconds`; whether it became so.
@discardableResult
func wait(seconds: Double, until isTrue: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while !isTrue() {
        if Date() > end { return false }
        usleep(20_000)
    }
    return true
}

/// Room in a pipe (F_SETPIPE_SZ); the kernel rounds up to a page.
func setPipeSize(_ descriptor: Int32, _ bytes: Int) { _ = fcntl(descriptor, 1031, Int32(bytes)) }
