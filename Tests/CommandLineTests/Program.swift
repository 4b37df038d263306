import Foundation

/// Under a sanitizer the program does not keep pace with a device, and needs more memory than a small disk's limit leaves it.
let isSanitized = ProcessInfo.processInfo.environment["YODEL_SANITIZER"] != nil

/// How the program ended and what it said.
struct Ending {
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
    memoryLimitKiB: Int? = nil, killAfter: Double? = nil
) throws -> Ending {
    let process = Process()
    let program = try programURL()
    let limits = (fileLimitKiB.map { "ulimit -f \($0); " } ?? "") + (memoryLimitKiB.map { "ulimit -v \($0); " } ?? "")
    process.executableURL = limits.isEmpty ? program : URL(fileURLWithPath: "/bin/bash")
    process.arguments = limits.isEmpty ? arguments : ["-c", limits + "exec \"$0\" \"$@\"", program.path] + arguments
    process.environment = environment.merging(["HOME": "/proc/nonexistent"]) { given, _ in given }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    if let killAfter {
        Thread.sleep(forTimeInterval: killAfter)
        kill(process.processIdentifier, SIGKILL)
    }
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ending(
        status: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
        errors: String(decoding: complained, as: UTF8.self))
}

/// The program built beside this test bundle.
func programURL() throws -> URL {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("yodel")
}
