import Link

/// `a=extmap`: what a header extension of a number means (RFC 8285 section 5).
public struct HeaderExtensionMap: Hashable, Sendable {
    /// Numbers that packets can carry.
    public static let numbers: ClosedRange<UInt8> = 1...255
    /// How loud a packet is (RFC 6464).
    public static let clientLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    /// How loud each is who is heard in a mix (RFC 6465).
    public static let mixerLevels = "urn:ietf:params:rtp-hdrext:csrc-audio-level"

    public var number: UInt8
    /// Which way, seen by the writer; nil: both.
    public var direction: MediaDirection?
    public var uri: String

    public init(number: UInt8, direction: MediaDirection? = nil, uri: String) {
        (self.number, self.direction, self.uri) = (number, direction, uri)
    }

    /// nil: it is no `a=extmap`, or no such number or direction. Attributes of the extension itself are left out.
    public init?(_ attribute: Attribute) {
        guard case .other("extmap", let value?) = attribute else { return nil }
        let words = value.split(separator: " ")
        guard words.count >= 2 else { return nil }
        let head = words[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = UInt8(head[0]), Self.numbers.contains(number), head[0].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        var direction: MediaDirection?
        if head.count == 2 {
            guard let read = MediaDirection(rawValue: String(head[1])) else { return nil }
            direction = read
        }
        self.init(number: number, direction: direction, uri: String(words[1]))
    }

    /// The line.
    public var attribute: Attribute {
        .other(name: "extmap", value: "\(number)\(direction.map { "/\($0.rawValue)" } ?? "") \(uri)")
    }

    /// Whether the writer sends it.
    var isSent: Bool { direction?.sends ?? true }
    /// Whether the writer takes it.
    var isReceived: Bool { direction?.receives ?? true }
}
