import Glibc

/// Who a telephone is among those that share its accounts: a UUID that stays the same from start to start (RFC 5626 section 4.1).
///
/// Telephones of one user on one machine each take a seat: the first of the files `instance`, `instance-2`, ... that nobody holds. It is
/// held by a lock for as long as this value lives. Where nothing can be kept the UUID is of this run.
public final class InstanceSeat: Sendable {
    /// `urn:uuid:` and 36 characters.
    public let urn: String
    /// Whether it is the same at the next start.
    public let isKept: Bool
    private let descriptor: Int32

    private static let most = 64
    private static let prefix = "urn:uuid:"

    /// - Parameter environment: of the process; `XDG_STATE_HOME` and `HOME` name the folder.
    public convenience init(environment: [String: String]) {
        self.init(folder: (try? PeerFolder(environment: environment))?.path)
    }

    /// - Parameter folder: made where there is none; nil: nothing is kept.
    public init(folder: String?) {
        let held = folder.flatMap { Self.take(in: $0) }
        descriptor = held?.descriptor ?? -1
        isKept = held != nil
        urn = held?.urn ?? Self.random()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func take(in folder: String) -> (urn: String, descriptor: Int32)? {
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { return nil }
        }
        for number in 1...most {
            let path = folder + (number == 1 ? "/instance" : "/instance-\(number)")
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return nil }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if let urn = kept(descriptor) ?? keep(random(), descriptor) { return (urn, descriptor) }
                close(descriptor)
                return nil
            }
            close(descriptor)
        }
        return nil
    }

    /// nil: it is new, or something else is in it.
    private static func kept(_ descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let line = String(decoding: buffer.prefix(count), as: UTF8.self).prefix { $0 != "\n" }
        let digits = line.dropFirst(prefix.count)
        guard line.hasPrefix(prefix), digits.utf8.count == 36, digits.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            return nil
        }
        return String(line)
    }

    private static func keep(_ urn: String, _ descriptor: Int32) -> String? {
        let line = Array("\(urn)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, line, line.count, 0) == line.count else { return nil }
        return urn
    }

    /// A random UUID (RFC 9562 section 5.4).
    private static func random() -> String {
        var octets = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
        octets[6] = octets[6] & 0x0F | 0x40
        octets[8] = octets[8] & 0x3F | 0x80
        let digits = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let parts = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return prefix + parts.map { $0.joined() }.joined(separator: "-")
    }
}
