import Glibc

/// The service manager that started the process, which is told what becomes of it: the protocol of sd_notify(3), datagrams to the
/// socket that `NOTIFY_SOCKET` names. Without one everything here does nothing.
package struct ServiceManager: Sendable {
    /// What it is told.
    package enum News: Sendable {
        /// The service can be used, or can be used again after `reloading`.
        case ready
        /// The configuration is being read anew, since that time of the monotonic clock in microseconds.
        case reloading(monotonicMicroseconds: UInt64)
        /// The service ends, and takes at most that long for it.
        case stopping(seconds: Int)
        /// It has not come to a standstill.
        case alive
        /// How it is, in one line for people.
        case status(String)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping(let seconds): "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)"
            case .alive: "WATCHDOG=1"
            case .status(let line): "STATUS=" + line.map { $0.isNewline ? " " : String($0) }.joined()
            }
        }
    }

    /// A path, or behind `@` an abstract name; `nil`: nobody wants to know.
    private let place: String?
    /// How often it wants to hear `alive` at least, in milliseconds; `nil`: never.
    package let watchdogMilliseconds: Double?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` of the process.
    ///   - process: its number; a watchdog for another process is not ours.
    package init(environment: [String: String], process: Int32 = getpid()) {
        place = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        watchdogMilliseconds = place != nil && isOurs && interval > 0 ? Double(interval) / 1000 : nil
    }

    /// The clock by which it knows before or after which reload something was told.
    package static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// Whether there is one.
    package var isThere: Bool { place != nil }

    /// Tells it. Never waits.
    /// - Returns: whether it took what was told.
    @discardableResult package func tell(_ news: News...) -> Bool {
        guard let place else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(place.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let text = Array(news.map(\.text).joined(separator: "\n").utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == text.count
    }
}
