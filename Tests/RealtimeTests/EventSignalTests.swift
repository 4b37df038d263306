import Glibc
import Realtime
import Testing
import Threads

@Suite struct EventSignalTests {
    private func isReadable(_ signal: EventSignal, withinMilliseconds wait: Int32 = 0) -> Bool {
        var entry = pollfd(fd: signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, wait) == 1
    }

    @Test("Several signals count as one and one drain takes them")
    func countsAsOne() throws {
        let signal = try EventSignal()
        defer { signal.close() }
        #expect(!isReadable(signal))
        for _ in 0..<5 { signal.signal() }
        #expect(isReadable(signal))
        signal.drain()
        #expect(!isReadable(signal))
    }

    @Test("Neither a drain without a signal nor a signal into a full counter blocks", .timeLimit(.minutes(20)))
    func neverBlocks() throws {
        let signal = try EventSignal()
        defer { signal.close() }
        signal.drain()
        // The greatest count an eventfd holds: one more would block a blocking descriptor.
        var most = UInt64.max - 1
        #expect(write(signal.fileDescriptor, &most, 8) == 8)
        signal.signal()
        #expect(isReadable(signal))
        signal.drain()
        #expect(!isReadable(signal))
    }

    @Test("A signal wakes a thread that polls")
    func wakesAThread() throws {
        let signal = try EventSignal()
        defer { signal.close() }
        let thread = try RealtimeThread(name: "signaller", owning: signal) { $0.signal() }
        #expect(isReadable(signal, withinMilliseconds: 10_000))
        thread.join()
    }
}
