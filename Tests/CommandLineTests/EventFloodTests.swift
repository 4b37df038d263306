import Foundation
import Glibc
import TestPrograms
import Testing

@Suite("Events that a stranger drives") struct EventFloodTests {
    /// Sends datagrams to a port of this machine.
    private final class Sender {
        private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        private var address = sockaddr_in()

        init(port: UInt16) {
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        }

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) {
            withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    @Test("a thousand digits in a second are told as some, and as a number")
    func digits() throws {
        // Below the ports that the kernel gives to whoever asks for none.
        let port = UInt16(10_000 + 2 * (Int(getpid()) % 10_000))
        let program = try RunningProgram([
            "listen", "rtp://127.0.0.1:\(port)", "--device", "null", "--no-realtime", "--codec", "pcmu", "--json",
        ])
        _ = program.read(until: { $0.contains("call_started") })
        let sender = Sender(port: port)
        func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
        var sequence = 0
        func packet(type: Int, timestamp: Int, _ payload: [UInt8]) -> [UInt8] {
            sequence += 1
            var bytes: [UInt8] = [0x80, UInt8(type)]
            bytes += big(sequence)
            bytes += big(timestamp >> 16)
            bytes += big(timestamp)
            bytes += [0, 0, 0, 9]
            return bytes + payload
        }
        for number in 0..<20 {
            sender.send(packet(type: 0, timestamp: number * 160, [UInt8](repeating: 0x7f, count: 160)))
            usleep(10_000)
        }
        // The end of event 5 (RFC 4733 section 2.3), each time another one; a machine that is slow takes longer to send them.
        let began = Date()
        for number in 0..<1500 {
            sender.send(packet(type: 101, timestamp: 4000 + number * 8, [5, 0x8a, 1, 0x40]))
            if number % 20 == 19 { usleep(20_000) }
        }
        let told = program.read(until: { $0.contains("digits are not told") })
        program.terminate()
        let all = told + program.readAll()
        let seconds = Date().timeIntervalSince(began)
        let digits = all.split(separator: "\n").filter { $0.contains("\"dtmf\"") }.count
        // 32 at once, and 25 a second.
        #expect(digits >= 20 && Double(digits) <= 32 + 25 * (seconds + 1), "\(digits) digits in \(seconds) s")
        #expect(all.contains("digits are not told one by one"), "\(all.suffix(500))")
        _ = program.end(within: hangSeconds)
    }
}
