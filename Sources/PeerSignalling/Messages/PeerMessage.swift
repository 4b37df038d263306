import SDP

/// What the two sides of a call say to each other: a line with the word and its reason, then the session description if it has one.
///
/// ```
/// offer                          answer                     refusal busy the person talks to somebody else
/// v=0 ...                        v=0 ...                    bye
/// ```
enum PeerMessage: Hashable, Sendable {
    case offer(SessionDescription)
    case answer(SessionDescription)
    /// Of the offer before it.
    case refusal(PeerRefusal, String)
    /// The call is over.
    case bye

    /// Characters of a reason at most; the rest is cut off.
    private static let longestReason = 200

    /// - Throws: why nothing can be made of it.
    init(_ bytes: [UInt8]) throws(PeerMessageError) {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        let line = String(decoding: bytes[..<end].prefix(2 * Self.longestReason), as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        let body = Array(bytes[min(end + 1, bytes.endIndex)...])
        switch words.first {
        case "offer": self = .offer(try Self.description(body, .offer))
        case "answer": self = .answer(try Self.description(body, .answer))
        case "refusal":
            let refusal = words.count > 1 ? PeerRefusal(rawValue: String(words[1])) : nil
            self = .refusal(refusal ?? .declined, words.count > 2 ? String(words[2].prefix(Self.longestReason)) : "")
        case "bye": self = .bye
        default: throw PeerMessageError(meant: .nothing, reason: "neither offer, answer, refusal nor bye")
        }
    }

    private static func description(
        _ body: [UInt8], _ meant: PeerMessageError.Meaning
    ) throws(PeerMessageError) -> SessionDescription {
        do { return try SessionDescription(parsing: body) } catch {
            throw PeerMessageError(meant: meant, reason: "\(error)")
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .offer(let description): Array("offer\n".utf8) + description.bytes
        case .answer(let description): Array("answer\n".utf8) + description.bytes
        case .refusal(let refusal, let reason):
            Array("refusal \(refusal.rawValue) \(reason.split(whereSeparator: \.isNewline).joined(separator: " "))\n".utf8)
        case .bye: Array("bye\n".utf8)
        }
    }
}

/// A message that says nothing.
struct PeerMessageError: Error, Hashable, Sendable {
    enum Meaning: Hashable, Sendable {
        /// It wants an answer all the same.
        case offer
        /// Somebody waits for it, and will have no other.
        case answer
        case nothing
    }

    /// What it was to be.
    var meant: Meaning
    var reason: String
}

/// Why an offer is refused.
public enum PeerRefusal: String, Hashable, Sendable {
    /// The person, or the program in his place, does not want the call.
    case declined
    /// There is another call.
    case busy
    /// The media cannot be started.
    case unavailable
    /// Offer and capabilities have no codec in common, or the offer is not encrypted as it must be.
    case noCommonMedia = "no-common-media"
    /// The offer cannot be read, or the answer to it.
    case malformed
}
