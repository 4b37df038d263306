import Foundation
import TestPrograms
import Testing

@Suite("What cannot be printed") struct FullDiskOutputTests {
    /// The program, with its standard output into `target`.
    private func printing(_ arguments: String, into target: String) throws -> Ending {
        let command = "exec \"$0\" \(arguments) > \(target)"
        let process = try ChildProcess(["/bin/bash", "-c", command, programPath()], environment: programEnvironment())
        let said = process.readAll(withinSeconds: hangSeconds)
        return Ending(
            status: process.status(afterSeconds: 60) ?? -1, output: String(decoding: said.output, as: UTF8.self),
            errors: String(decoding: said.errors, as: UTF8.self))
    }

    @Test(
        "a full disk is told, and is no success",
        arguments: ["config", "config --defaults", "help", "loopback --offline --duration 1"])
    func full(_ arguments: String) throws {
        let ending = try printing(arguments, into: "/dev/full")
        #expect(ending.status == 2, "\(ending)")
        #expect(ending.errors.contains("cannot write what was asked for: No space left on device"), "\(ending)")
    }

    @Test("a reader that has gone is no error")
    func gone() throws {
        let ending = try printing("config", into: ">(:)")
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
    }
}
