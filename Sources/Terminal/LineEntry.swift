/// A line that a person types while a call goes on; keys mean nothing else until it is done or dropped.
package struct LineEntry {
    package enum Outcome: Equatable {
        case typing
        case done(String)
        case dropped
    }

    /// What it is for, shown before the line.
    package let question: String
    package private(set) var text = ""

    private static let mostCharacters = 256

    package init(_ question: String) { self.question = question }

    /// What is shown while it is typed.
    package var prompt: String { "\(question): \(text)" }

    /// Takes one byte from the terminal: Enter ends the line, Escape drops it.
    package mutating func take(_ byte: UInt8) -> Outcome {
        switch byte {
        case 13, 10: return .done(text)
        case 27: return .dropped
        case 8, 127: _ = text.popLast()
        case 33...126 where text.count < Self.mostCharacters: text.append(Character(UnicodeScalar(byte)))
        default: break
        }
        return .typing
    }
}
