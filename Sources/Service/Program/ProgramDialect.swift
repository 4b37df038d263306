import Reporting

/// A message of a program's WebSocket.
package enum ProgramMessage: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
}

/// What a program asks for.
package enum ProgramWish: Sendable, Equatable {
    /// -1...1.
    case say([Float])
    /// Forgets what it said and nobody heard yet.
    case clear
    /// Wants the name back when what it said until now has been heard.
    case mark(String)
    /// Keys to be sent into the call.
    case digits(String)
    /// Nothing more to say, ever: it leaves.
    case stop
}

/// A mark that comes back.
package struct HeardMark: Sendable, Equatable {
    package var name: String
    /// When, after it was sent, ms; `nil`: what was before it was never played.
    package var delayMilliseconds: Double?
    /// Whether the other side tells its part of that delay; else it is estimated.
    package var isMeasured: Bool

    package init(name: String, delayMilliseconds: Double?, isMeasured: Bool) {
        (self.name, self.delayMilliseconds, self.isMeasured) = (name, delayMilliseconds, isMeasured)
    }
}

/// What is to be known of a connection in any dialect.
package struct ProgramTopic: Sendable {
    /// Of the call.
    package var call: String
    /// Of this connection.
    package var stream: String
    package var format: ProgramFormat
    package var track: ProgramTrack

    package init(call: String, stream: String, format: ProgramFormat, track: ProgramTrack) {
        (self.call, self.stream, self.format, self.track) = (call, stream, format, track)
    }
}

/// A language in which calls and programs talk over a WebSocket: what is said, in the order in which it is made, and what is understood.
package protocol ProgramSpeaker: Sendable {
    /// The first things that a program hears.
    mutating func begin() -> [ProgramMessage]
    /// A packet of 20 ms.
    /// - Parameters:
    ///   - inbound: what the other side says; `nil`: not listened to, or the sound is mixed.
    ///   - outbound: what our side says, or both mixed; `nil`: not listened to.
    mutating func sound(inbound: [Float]?, outbound: [Float]?) -> [ProgramMessage]
    mutating func mark(_ mark: HeardMark) -> ProgramMessage
    /// A key of the other side's.
    mutating func digit(_ digit: Character) -> ProgramMessage
    mutating func end() -> ProgramMessage
    /// - Returns: `nil` for what cannot be understood.
    func understand(_ message: ProgramMessage) -> ProgramWish?
}

/// The dialects, by the subprotocol that chooses each (RFC 6455 section 1.9).
package enum ProgramDialect: String, Sendable, CaseIterable {
    /// Binary frames, JSON for all else.
    case pcm = "yodel.pcm"
    /// JSON for everything, as media-stream services have it. Programs of those services name no subprotocol.
    case mediaStream = "yodel.media-stream"

    /// Longest message of a program, bytes: ten seconds at 48 kHz, in base 64.
    package static let longestMessage = 1_300_000

    /// Those that can carry a format, the best first.
    package static func offered(for format: ProgramFormat) -> [ProgramDialect] {
        format.encoding == .mulaw ? [.mediaStream] : allCases
    }

    /// The first that is known of what a program that connects offers.
    /// - Parameter header: of the request; `nil`: none.
    /// - Returns: `nil`: it knows none of ours.
    package static func choose(_ header: String?, for format: ProgramFormat) -> ProgramDialect? {
        guard let header else { return .mediaStream }
        let names = header.split(separator: ",").map { $0.drop { $0 == " " }.prefix { $0 != " " } }
        return names.lazy.compactMap { name in offered(for: format).first { $0.rawValue == name } }.first
    }

    /// Somebody who speaks it.
    package func speaker(_ topic: ProgramTopic) -> any ProgramSpeaker {
        switch self {
        case .pcm: PCMSpeaker(topic)
        case .mediaStream: MediaStreamSpeaker(topic)
        }
    }
}

/// The names of marks, and of what stands beside them.
enum ProgramText {
    /// Longest name of a mark, bytes.
    static let longestName = 256

    /// How it is known when a mark was heard.
    static func members(of mark: HeardMark) -> [JSONMember] {
        guard let delay = mark.delayMilliseconds else { return [JSONMember("cleared", .boolean(true))] }
        return [
            JSONMember("heard", .string(mark.isMeasured ? "measured" : "estimated")),
            JSONMember("delay_ms", .number(delay, decimals: 1)),
        ]
    }

    static func name(_ value: JSONValue?) -> String? {
        guard case .string(let name) = value, name.utf8.count <= longestName else { return nil }
        return name
    }

    /// Keys of a telephone.
    static func digits(_ value: JSONValue?) -> String? {
        guard case .string(let text) = value, (1...64).contains(text.utf8.count) else { return nil }
        let digits = text.uppercased()
        return digits.allSatisfy { "0123456789*#ABCD".contains($0) } ? digits : nil
    }
}
