import Glibc
import Realtime
import Testing

@Suite(.serialized) struct ProcessMemoryTests {
    @Test("Code that was let go of is no longer in memory, but for what runs on, and all of it still works")
    func codeIsLetGo() throws {
        // Tests that run beside this one bring theirs back meanwhile.
        var sizes: [(before: Int, after: Int)] = []
        for _ in 0..<20 where sizes.allSatisfy({ $0.after >= $0.before }) {
            let before = try fileKibibytes()
            ProcessMemory.letGoOfCode()
            let after = try fileKibibytes()
            sizes.append((before, after))
        }
        #expect(sizes.contains(where: { $0.after < $0.before }), "KiB before and after: \(sizes)")
    }

    @Test("A phase is over once; over again changes nothing")
    func phases() {
        for phase in ProcessMemory.Phase.allCases {
            ProcessMemory.letGo(of: phase)
            ProcessMemory.letGo(of: phase)
        }
        #expect(Set(ProcessMemory.Phase.allCases.map { UInt32(1) << $0.rawValue }).count == ProcessMemory.Phase.allCases.count)
    }

    /// Pages of files that the process has in memory.
    private func fileKibibytes() throws -> Int {
        let file = try #require(fopen("/proc/self/status", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("RssFile:") { return try #require(Int(text.filter { $0 >= "0" && $0 <= "9" })) }
        }
        throw NoFigure()
    }

    private struct NoFigure: Error {}
}
