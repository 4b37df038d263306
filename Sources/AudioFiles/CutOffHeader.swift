import CSndFile

/// Finds files whose end is missing.
enum CutOffHeader {
    /// libsndfile shortens what a header promises to what the file holds, and says so in its log only.
    static func promisesMore(_ file: OpaquePointer) -> Bool {
        var log = [CChar](repeating: 0, count: 8192)
        sf_command(file, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
        let text = String(decoding: log.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).contains { line in
            let name = line.drop { $0 == " " }
            guard ["data", "SSND", "Data Size"].contains(where: { name.hasPrefix($0) }), let colon = name.firstIndex(of: ":"),
                let range = name.firstRange(of: "(should be ")
            else { return false }
            func number(_ text: Substring) -> Int? { Int(text.drop { $0 == " " }.prefix { $0.isNumber }) }
            guard let promised = number(name[name.index(after: colon)...]), let there = number(name[range.upperBound...])
            else { return false }
            // What was written into a pipe promises all that 31 or 32 bits can say, and means nothing by it.
            let isStream = promised >= 0xFFFF_0000 || (0x7FFF_0000...0x7FFF_FFFF).contains(promised)
            return promised > there && !isStream
        }
    }
}
