import CAudit
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import PacketCapture
import Realtime
import Testing

@Suite("A file that takes no more") struct FileTroubleTests {
    private let peer = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 9)

    private func capture(_ path: String) throws -> CallCapture {
        try CallCapture(
            path: path, configuration: CallConfiguration(codec: .pcmu, seed: 1),
            local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5004), controlPort: 5005, epochNanoseconds: 0)
    }

    @Test("a capture on a disk that fills up says so at once, and drops and counts what comes after")
    func diskFillsUp() throws {
        let descriptor = limited_file_open()
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let capture = try capture("/proc/self/fd/\(descriptor)")
        func second(_ number: Int) {
            for turn in 0..<50 {
                [UInt8](repeating: 0x80, count: 172).withUnsafeBytes {
                    capture.add(
                        sent: $0, isControl: false, to: peer, time: HostTime(milliseconds: Double(1000 * number + 20 * turn)))
                }
            }
            capture.drain()
        }
        for number in 0..<3 { second(number) }
        #expect(capture.failureReason == nil && capture.dropped == 0)
        try #require(limited_file_fill(descriptor))
        second(3)
        #expect(capture.failureReason != nil)
        for number in 4..<200 { second(number) }
        // What the disk refused of the fourth second was a write, not a record; everything after it is counted.
        #expect(capture.dropped == 196 * 50)
        capture.finish()
    }

    @Test("a dump into a pipe that nobody reads goes on, counts what it lost, and ends", .timeLimit(.minutes(20)))
    func stalledDump() throws {
        let folder = "/tmp/yodel-stalled-\(getpid())"
        mkdir(folder, 0o700)
        let table = folder + "/jitter_buffer.csv"
        try #require(mkfifo(table, 0o600) == 0)
        let reader = open(table, O_RDONLY | O_NONBLOCK)
        defer {
            close(reader)
            for name in ["jitter_buffer.csv", "sent.wav", "heard.wav"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        let listener = try Endpoint(.pcmu, seeds: [3])
        let dump = try SignalDump(folder: folder, sampleRate: 8000, unit: listener.endpoint.unit, now: .zero)
        listener.loop.taps = [dump]
        everyTenMilliseconds(to: 120) { now in
            listener.step(now: now)
            dump.drain()
        }
        #expect(dump.dropped > 1000)
        dump.finish()
    }
}
