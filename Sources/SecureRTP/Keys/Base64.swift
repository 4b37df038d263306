/// Base 64 (RFC 4648 section 4). Of keys: what is decoded becomes a `Secret`, and no copy stays behind. Of anything else: bytes.
package enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ secret: Secret) -> String {
        secret.withUnsafeBytes { encode($0) }
    }

    /// The same of what is no secret.
    package static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encode($0) } }

    private static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let group = (0..<3).reduce(UInt32(0)) { $0 << 8 | (index + $1 < bytes.count ? UInt32(bytes[index + $1]) : 0) }
            for digit in 0..<4 {
                let isPadding = index + digit > bytes.count
                text.append(isPadding ? UInt8(ascii: "=") : digits[Int(group >> UInt32(18 - 6 * digit) & 63)])
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil for anything but complete base 64; the padding may be missing, as some peers leave it out.
    package static func decode(_ text: some StringProtocol) -> Secret? {
        guard var bytes = bytes(of: text) else { return nil }
        defer { bytes.withUnsafeMutableBytes { Secret.wipe($0) } }
        return Secret(bytes)
    }

    /// The same of what is no secret.
    /// - Returns: nil for anything but complete base 64.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)
        // It may be a secret after all.
        defer { characters.withUnsafeMutableBytes { Secret.wipe($0) } }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        characters.removeLast(padding)
        guard characters.count % 4 != 1, padding == 0 || (characters.count + padding) % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var group: UInt32 = 0
        var bits = 0
        for character in characters {
            guard let value = value(of: character) else {
                bytes.withUnsafeMutableBytes { Secret.wipe($0) }
                return nil
            }
            group = group << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        guard group & (1 << UInt32(bits) - 1) == 0 else {
            bytes.withUnsafeMutableBytes { Secret.wipe($0) }
            return nil
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
