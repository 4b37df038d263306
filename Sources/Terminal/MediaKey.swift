/// What a key does while a file is played or recorded.
package enum MediaKey: Equatable {
    case pause, louder, quieter, forward, back, quit, help

    /// The keys in what a terminal sent at once; arrows are three bytes (ECMA-48: ESC [ A to D).
    package static func parse(_ bytes: some Collection<UInt8>) -> [MediaKey] {
        var keys: [MediaKey] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            if byte == 0x1B, rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") {
                rest.removeFirst()
                let arrows: [UInt8: MediaKey] = [65: .louder, 66: .quieter, 67: .forward, 68: .back]
                if let final = rest.popFirst(), let key = arrows[final] { keys.append(key) }
                continue
            }
            switch Character(UnicodeScalar(byte)) {
            case " ", "p": keys.append(.pause)
            case "+", "=": keys.append(.louder)
            case "-": keys.append(.quieter)
            case "q": keys.append(.quit)
            case "?": keys.append(.help)
            default: break
            }
        }
        return keys
    }

    package static let playing = "space pause, left right 5 s, up down or + - volume, q quit, ? this list"
    package static let recording = "keys: q ends the recording"
}
