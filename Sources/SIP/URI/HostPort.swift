/// `host [":" port]` of URIs and Via.
enum HostPort {
    /// Takes a host and an optional port. `allowSpace`: Via lets white space stand around the colon.
    static func take(_ scanner: inout ByteScanner, allowSpace: Bool) -> (host: String, port: UInt16?)? {
        guard let host = takeHost(&scanner) else { return nil }
        let colon = UInt8(ascii: ":")
        guard allowSpace ? scanner.takeSeparator(colon) : scanner.take(colon) else { return (host, nil) }
        guard let port = scanner.takeNumber(limit: 65535), port > 0 else { return nil }
        return (host, UInt16(port))
    }

    private static func takeHost(_ scanner: inout ByteScanner) -> String? {
        guard scanner.current == UInt8(ascii: "[") else {
            let name = scanner.takeWhile {
                ByteClass.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "_")
            }
            return name.isEmpty || name.count > 255 ? nil : name.text
        }
        scanner.advance()
        let address = scanner.takeWhile(isAddressByte)
        guard address.count >= 2, address.count <= 64, address.contains(UInt8(ascii: ":")),
            scanner.take(UInt8(ascii: "]"))
        else { return nil }
        return "[\(address.text)]"
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        ByteClass.hexadecimal(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// A host without the brackets of an IPv6 reference.
    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether `host` is a numeric address rather than a name.
    static func isNumeric(_ host: String) -> Bool {
        if host.hasPrefix("[") || host.contains(":") { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { !$0.isEmpty && $0.count <= 3 && $0.allSatisfy(ByteClass.isDigit) }
    }
}
