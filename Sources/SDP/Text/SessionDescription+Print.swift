extension SessionDescription {
    /// The body, in the order of RFC 8866 section 9, each line ended by CRLF.
    public var bytes: [UInt8] { bytes(maskingSecrets: false) }

    /// The body as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The body for traces and reports: keys and passwords (RFC 4568, RFC 8839) are replaced by `***`.
    public var maskedText: String { String(decoding: bytes(maskingSecrets: true), as: UTF8.self) }

    private func bytes(maskingSecrets masks: Bool) -> [UInt8] {
        var writer = LineWriter()
        writer.line(UInt8(ascii: "v"), "0")
        writer.line(UInt8(ascii: "o"), origin.text)
        writer.line(UInt8(ascii: "s"), sessionName)
        if let information { writer.line(UInt8(ascii: "i"), information) }
        writer.others(otherLines, masks) { "uep".utf8.contains($0) }
        if let connection { writer.line(UInt8(ascii: "c"), connection.text) }
        for bandwidth in bandwidths { writer.line(UInt8(ascii: "b"), bandwidth.text) }
        for timing in timings { writer.line(UInt8(ascii: "t"), timing) }
        writer.others(otherLines, masks) { !"uep".utf8.contains($0) }
        for attribute in attributes { writer.line(UInt8(ascii: "a"), attribute.text(maskingSecrets: masks)) }
        for section in media {
            writer.line(UInt8(ascii: "m"), section.text)
            if let information = section.information { writer.line(UInt8(ascii: "i"), information) }
            for connection in section.connections { writer.line(UInt8(ascii: "c"), connection.text) }
            for bandwidth in section.bandwidths { writer.line(UInt8(ascii: "b"), bandwidth.text) }
            writer.others(section.otherLines, masks) { _ in true }
            for attribute in section.attributes {
                writer.line(UInt8(ascii: "a"), attribute.text(maskingSecrets: masks))
            }
        }
        return writer.bytes
    }
}

extension LineWriter {
    fileprivate mutating func others(_ lines: [OtherLine], _ masks: Bool, where chosen: (UInt8) -> Bool) {
        for other in lines where chosen(other.letter) {
            // k= is a key in the clear, from RFC 4566.
            line(other.letter, masks && other.letter == UInt8(ascii: "k") ? "***" : other.value)
        }
    }
}

extension SessionDescription: CustomStringConvertible {
    /// Without secrets.
    public var description: String { maskedText }
}
