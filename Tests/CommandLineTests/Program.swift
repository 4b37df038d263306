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
///   - killAfter: seconds after which it is killed.
func yodel(
    _ arguments: [String], environment: [String: String] = [:], fileLimitKiB: Int? = nil, killAfter: Double? = nil
) throws -> Ending {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("yodel")
    process.executableURL = fileLimitKiB == nil ? program : URL(fileURLWithPath: "/bin/bash")
    process.arguments =
        fileLimitKiB.map { ["-c", "ulimit -f \($0); exec \"$0\" \"$@\"", program.path] + arguments } ?? arguments
    process.environment = environment.merging(["HOME": "/nonexistent"]) { given, _ in given }
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
