import Foundation
import Glibc
import TestPrograms

/// Under a sanitizer the program does not keep pace with a device, and needs more memory than a small disk's limit leaves it.
let isSanitized = ProcessInfo.processInfo.environment["YODEL_SANITIZER"] != nil

/// How the program ended and what it said.
struct Ending {
    /// Its exit status; 128 and the number of the signal that ended it.
    var status: Int32
    var output: String
    var errors: String
}

/// Runs the program built beside this test bundle, without configuration files or variables of this machine.
///
/// - Parameters:
///   - fileLimitKiB: longest file it may write: a small disk.
///   - memoryLimitKiB: address space it may take.
///   - killAfter: seconds after which it is killed.
func yodel(
    _ arguments: [String], environment: [String: String] = [:], fileLimitKiB: Int? = nil,
    memoryLimitKiB: Int? = nil, killAfter: Double = hangSeconds
) throws -> Ending {
    let program = try programPath()
    let limits = (fileLimitKiB.map { "ulimit -f \($0); " } ?? "") + (memoryLimitKiB.map { "ulimit -v \($0); " } ?? "")
    let shell = limits.isEmpty ? [] : ["/bin/bash", "-c", limits + "exec \"$0\" \"$@\""]
    let process = try ChildProcess(shell + [program] + arguments, environment: programEnvironment(environment))
    let said = process.readAll(withinSeconds: killAfter)
    if killAfter < hangSeconds || process.status(afterSeconds: 60) == nil { process.signal(SIGKILL) }
    return Ending(
        status: process.status(afterSeconds: .infinity) ?? -1, output: String(decoding: said.output, as: UTF8.self),
        errors: String(decoding: said.errors, as: UTF8.self))
}

/// What the program finds in its environment: nothing of this machine.
func programEnvironment(_ own: [String: String] = [:]) -> [String: String] {
    own.merging(["HOME": "/proc/nonexistent"]) { given, _ in given }
}

/// The program built beside this test bundle.
func programPath() throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("yodel").path
}
