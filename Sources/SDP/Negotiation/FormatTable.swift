extension MediaDescription {
    /// The formats that are named, in the line's order; numbers without a meaning are left out.
    public var audioFormats: [AudioFormat] { FormatTable(self).entries.compactMap(\.format) }
}

/// The formats of one media line with what rtpmap and fmtp say about them, in the line's order.
struct FormatTable {
    struct Entry {
        var payloadType: UInt8
        /// nil: no rtpmap, and RFC 3551 binds nothing to the number.
        var format: AudioFormat?
        var parameters: String
    }

    private(set) var entries: [Entry] = []

    init(_ media: MediaDescription) {
        var maps: [UInt8: AudioFormat] = [:]
        var parameters: [String: String] = [:]
        for attribute in media.attributes {
            switch attribute {
            case .rtpmap(let map) where maps[map.payloadType] == nil: maps[map.payloadType] = map.format
            case .formatParameters(let read):
                // Some devices part the parameters over several lines.
                parameters[read.format] = parameters[read.format].map { "\($0);\(read.text)" } ?? read.text
            default: break
            }
        }
        for format in media.formats {
            guard let number: UInt8 = ArraySlice(format.utf8).decimal(upTo: 127),
                !entries.contains(where: { $0.payloadType == number })
            else { continue }
            var audio = maps[number] ?? AudioFormat(staticPayloadType: number)
            // Opus is always opus/48000/2 (RFC 7587 section 7); some devices leave the channels out.
            if let name = audio?.encodingName, audio?.clockRate == 48_000, name.asciiLowercased == "opus" {
                audio = .opus
            }
            entries.append(Entry(payloadType: number, format: audio, parameters: parameters[format] ?? ""))
        }
    }

    func entry(for format: AudioFormat) -> Entry? { entries.first { $0.format == format } }

    func entry(at payloadType: UInt8) -> Entry? { entries.first { $0.payloadType == payloadType } }

    func entries(of role: AudioFormat.Role) -> [Entry] { entries.filter { $0.format?.role == role } }

    /// The redundancy that copies only `codec` (RFC 2198 section 5), with the number of copies.
    func redundancy(of codec: Entry) -> (entry: Entry, copies: Int)? {
        guard let format = codec.format else { return nil }
        for entry in entries where entry.format == .redundancy(of: format) {
            let numbers = entry.parameters.utf8.split(separator: .slash, omittingEmptySubsequences: false)
            let copied = numbers.map { part -> UInt8? in ArraySlice(Array(part)).decimal(upTo: 127) }
            if copied.count >= 2, copied.allSatisfy({ $0 == codec.payloadType }) { return (entry, copied.count - 1) }
        }
        return nil
    }
}
