/// Leaves out of what a terminal sends the sequences of arrow and function keys, and the marks around what is pasted (ECMA-48
/// section 5.4): none of their bytes is a key of its own.
package struct EscapeFilter {
    private enum State {
        case plain
        /// Behind ESC.
        case escape
        /// Behind an ESC that was the last of what came at once, and was handed on.
        case handedOn
        /// Behind ESC [.
        case begun
        /// In the parameters behind that.
        case parameters
        /// One more byte belongs to it: behind ESC O, and behind ESC [ [ of the Linux console.
        case last
    }

    private var state = State.plain

    package init() {}

    /// The keys in what came at once. A sequence may go on in what comes next; an ESC is the Escape key where nothing is behind it.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var keys: [UInt8] = []
        for byte in bytes where isKey(byte) { keys.append(byte) }
        if state == .escape {
            state = .handedOn
            keys.append(Self.escape)
        }
        return keys
    }

    private static let escape: UInt8 = 0x1B

    private mutating func isKey(_ byte: UInt8) -> Bool {
        let before = state
        state = .plain
        switch (before, byte) {
        case (_, Self.escape): state = .escape
        case (.plain, _): return true
        case (.escape, UInt8(ascii: "[")), (.handedOn, UInt8(ascii: "[")): state = .begun
        case (.escape, UInt8(ascii: "O")), (.handedOn, UInt8(ascii: "O")): state = .last
        case (.handedOn, _): return true
        // Alt and a letter are no letter; of a character of several bytes none may be missing.
        case (.escape, _): return byte >= 0x80
        case (.begun, UInt8(ascii: "[")): state = .last
        case (.begun, 0x20...0x3F), (.parameters, 0x20...0x3F): state = .parameters
        case (.begun, 0x40...0x7E), (.parameters, 0x40...0x7E), (.last, _): break
        // It broke off.
        case (.begun, _), (.parameters, _): return true
        }
        return false
    }
}
