/// Session-Expires, RFC 4028 section 4.
public struct SessionExpires: Hashable, Sendable {
    public enum Refresher: String, Hashable, Sendable {
        case uac, uas
    }

    public var seconds: UInt32
    public var refresher: Refresher?

    public init(seconds: UInt32, refresher: Refresher? = nil) {
        self.seconds = seconds
        self.refresher = refresher
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let seconds = scanner.takeNumber(limit: UInt64(UInt32.max)), let parameters = Parameters(&scanner) else {
            return nil
        }
        self.seconds = UInt32(seconds)
        refresher = parameters["refresher"].flatMap { Refresher(rawValue: $0.asciiLowercased) }
    }

    public var text: String { "\(seconds)\(refresher.map { ";refresher=\($0.rawValue)" } ?? "")" }
}

/// A number of seconds with a comment and parameters: Retry-After (RFC 3261 section 20.33).
public struct RetryAfter: Hashable, Sendable {
    public var seconds: UInt32

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let seconds = scanner.takeNumber(limit: UInt64(UInt32.max)) else { return nil }
        self.seconds = UInt32(seconds)
    }
}
