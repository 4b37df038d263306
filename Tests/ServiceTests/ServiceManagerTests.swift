import Foundation
import Glibc
import Testing

import Service

@Suite("The service manager is told") struct ServiceManagerTests {
    /// A socket as systemd has it.
    private final class Listener {
        let path: String
        private let descriptor: Int32

        /// - Parameter name: a path, or an abstract name behind `@`.
        init(_ name: String) throws {
            path = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if bytes[0] == 64 { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count + (bytes[0] == 0 ? 0 : 1))
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(status == 0, "\(errno)")
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        func receive() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private var freePath: String { "\(NSTemporaryDirectory())yodel-notify-\(UUID().uuidString.prefix(8))" }

    @Test("ready, reloading, alive, status and stopping come as they are", arguments: [false, true])
    func messages(isAbstract: Bool) throws {
        let listener = try Listener(isAbstract ? "@yodel-\(UUID().uuidString)" : freePath)
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
        #expect(manager.isThere && manager.watchdogMilliseconds == nil)
        #expect(manager.tell(.ready, .status("1 of 2\naccounts")))
        #expect(listener.receive() == "READY=1\nSTATUS=1 of 2 accounts", "a line break would begin another message")
        #expect(manager.tell(.reloading(monotonicMicroseconds: 123)))
        #expect(listener.receive() == "RELOADING=1\nMONOTONIC_USEC=123")
        #expect(manager.tell(.alive) && listener.receive() == "WATCHDOG=1")
        #expect(manager.tell(.stopping(seconds: 40)))
        #expect(listener.receive() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=40000000")
    }

    @Test(
        "without a socket, or with one that is none, nothing is told and nothing breaks",
        arguments: ["", "relative", "/no/such/folder/socket", "@", "/" + String(repeating: "x", count: 300)])
    func nobody(place: String) {
        #expect(!ServiceManager(environment: place.isEmpty ? [:] : ["NOTIFY_SOCKET": place]).tell(.ready))
    }

    @Test("the watchdog is ours only where the manager says so")
    func watchdog() {
        func interval(_ more: [String: String]) -> Double? {
            ServiceManager(environment: more.merging(["NOTIFY_SOCKET": "/x"]) { own, _ in own }, process: 7)
                .watchdogMilliseconds
        }
        #expect(interval(["WATCHDOG_USEC": "3000000"]) == 3000)
        #expect(interval(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"]) == 3000)
        #expect(interval(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil && interval(["WATCHDOG_USEC": "soon"]) == nil && interval([:]) == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "3000000"]).watchdogMilliseconds == nil)
    }
}
