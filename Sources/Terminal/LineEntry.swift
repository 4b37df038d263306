/// A line that a person types while a call goes on; keys mean nothing else until it is done or dropped.
package struct LineEntry {
    package enum Outcome: Equatable {
        case typing
        case done(String)
        case dropped
    }

    /// What it is for, shown before the line.
    package let question: String
    /// Whether it is a text for people, with spaces and any script, or an address.
    private let isText: Bool
    /// UTF-8 as it came; the last character may not be whole yet.
    private var octets: [UInt8] = []

    /// Octets; a text of 500 fits into one datagram of SIP (RFC 3428 section 8).
    private static let most = 500

    package init(_ question: String, isText: Bool = false) { (self.question, self.isText) = (question, isText) }

    package var text: String { String(decoding: octets, as: UTF8.self) }
    /// What is shown while it is typed.
    package var prompt: String { PrintableText.text("\(question): \(text)") }

    /// Takes one byte from the terminal: Enter ends the line, Escape drops it.
    package mutating func take(_ byte: UInt8) -> Outcome {
        switch byte {
        case 13, 10: return .done(text)
        case 27: return .dropped
        case 8, 127:
            // A character of several octets goes as a whole.
            while let last = octets.popLast(), last & 0xC0 == 0x80 {}
        case 33...126 where octets.count < Self.most: octets.append(byte)
        case 32 where isText && octets.count < Self.most, 128... where isText && octets.count < Self.most: octets.append(byte)
        default: break
        }
        return .typing
    }
}
