import Foundation
import Glibc

/// The program while it runs, with pipes that the test reads, or does not.
final class RunningProgram {
    private let process = Process()
    private let output = Pipe()
    private let errors = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).err")

    /// - Parameter pipeBytes: room in the pipe of standard output.
    init(_ arguments: [String], pipeBytes: Int? = nil) throws {
        process.executableURL = try programURL()
        process.arguments = arguments
        process.environment = ["HOME": "/proc/nonexistent"]
        process.standardOutput = output
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        if let pipeBytes { setPipeSize(output.fileHandleForWriting.fileDescriptor, pipeBytes) }
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: errors)
    }

    var complaints: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    func terminate() { kill(process.processIdentifier, SIGTERM) }

    /// Its exit status; nil, and it is killed, when it has not ended by itself after `seconds`.
    func end(within seconds: Double) -> Int32? {
        guard wait(seconds: seconds, until: { !process.isRunning }) else {
            kill(process.processIdentifier, SIGKILL)
            return nil
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Everything it says until it ends.
    func readAll() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// Reads what is there, until `isEnough` of all that was read.
    func read(until isEnough: (String) -> Bool, seconds: Double = 30) -> String {
        var text = ""
        let descriptor = output.fileHandleForReading.fileDescriptor
        _ = wait(seconds: seconds) {
            var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&place, 1, 20) > 0 {
                let data = output.fileHandleForReading.availableData
                text += String(decoding: data, as: UTF8.self)
                if data.isEmpty { return true }
            }
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
