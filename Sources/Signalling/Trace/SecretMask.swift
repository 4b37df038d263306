/// Takes what nobody may read out of a message before it is shown: digests and keys. Everything else stays as it is, and so do
/// lengths of lines that have no secret.
///
/// | where | what |
/// |---|---|
/// | Authorization, Proxy-Authorization | `response` (RFC 7616), and all of other schemes than Digest |
/// | Authentication-Info | `rspauth` |
/// | URIs | the password of `sip:user:password@host` (RFC 3261 section 19.1.1) |
/// | SDP | `a=crypto` keys (RFC 4568), `k=` (RFC 8866 section 5.12), `a=ice-pwd` (RFC 8839) |
public enum SecretMask {
    /// What stands in the place of a secret.
    public static let mark = "***"

    public static func mask(_ octets: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        // A header field may go on in the next line, which then begins with white space (RFC 3261 section 7.3.1).
        var continued: Rule?
        for line in octets.split(separator: 10, omittingEmptySubsequences: false) {
            if line.startIndex != octets.startIndex { result.append(10) }
            let isFolded = line.first == 32 || line.first == 9
            let rule = isFolded ? continued : Rule(line)
            continued = rule
            result += withoutPasswords(rule.map { $0.apply(line, isFolded: isFolded) } ?? Array(line))
        }
        return result
    }

    /// A line whose SIP URIs have their passwords masked.
    private static func withoutPasswords(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        // Where the next user name would end; looked for once, however many URIs begin before it.
        var at = -1
        while index < line.count {
            let rest = line[index...]
            let scheme = ["sip:", "sips:"].first { rest.starts(with: $0.utf8, by: { $0 | 0x20 == $1 | 0x20 }) }
            if scheme != nil, at < index {
                at = rest.firstIndex { [64, 32, 9, 62, 60, 34, 13].contains($0) } ?? line.count
            }
            guard let scheme, at < line.count, line[at] == 64,
                let colon = line[(index + scheme.utf8.count)..<at].firstIndex(of: 58)
            else {
                result.append(line[index])
                index += 1
                continue
            }
            result += line[index...colon]
            result += Array(mark.utf8)
            index = at
        }
        return result
    }

    private enum Rule {
        /// `isDigest`: of a scheme of which only the response is secret; nil: the scheme stands in the next line.
        case credentials(isDigest: Bool?)
        case session
        case wholeValue(after: Int)

        init?(_ line: ArraySlice<UInt8>) {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            func isField(_ name: String) -> Bool {
                guard text.hasPrefix(name) else { return false }
                return text.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }.first == ":"
            }
            if isField("authentication-info") || isField("proxy-authentication-info") {
                self = .credentials(isDigest: true)
            } else if isField("authorization") || isField("proxy-authorization") {
                let value = text.drop { $0 != ":" }.dropFirst().drop { $0 == " " || $0 == "\t" || $0 == "\r" }
                self = .credentials(isDigest: value.isEmpty ? nil : value.hasPrefix("digest"))
            } else if text.hasPrefix("a=crypto:") {
                self = .session
            } else if text.hasPrefix("a=ice-pwd:") {
                self = .wholeValue(after: 10)
            } else if text.hasPrefix("k=") {
                self = .wholeValue(after: 2)
            } else {
                return nil
            }
        }

        func apply(_ line: ArraySlice<UInt8>, isFolded: Bool) -> [UInt8] {
            switch self {
            case .credentials(isDigest: true?): return Self.masked(Self.masked(Array(line), "response"), "rspauth")
            case .credentials(isDigest: nil) where !isFolded: return Array(line)
            case .credentials:
                let name = isFolded ? line.prefix(1) : line.prefix { $0 != 58 } + [58, 32]
                return Array(name) + Array(mark.utf8) + Self.end(line)
            case .session: return Self.maskedKeys(Array(line))
            case .wholeValue(let count):
                return Array(line.prefix(count)) + Array(mark.utf8) + Self.end(line)
            }
        }

        private static func end(_ line: ArraySlice<UInt8>) -> [UInt8] { line.last == 13 ? [13] : [] }

        /// The value of `name=value` or `name="value"`, wherever it stands.
        private static func masked(_ line: [UInt8], _ name: String) -> [UInt8] {
            let name = Array(name.utf8)
            var result: [UInt8] = []
            var index = 0
            while index < line.count {
                let isStart = index == 0 || [32, 9, 44, 58].contains(line[index - 1])
                guard isStart, matches(line, at: index, name), let value = afterEquals(line, index + name.count) else {
                    result.append(line[index])
                    index += 1
                    continue
                }
                result += line[index..<value]
                result += Array(mark.utf8)
                index = endOfValue(line, value)
            }
            return result
        }

        private static func matches(_ line: [UInt8], at index: Int, _ name: [UInt8]) -> Bool {
            guard index + name.count <= line.count else { return false }
            return zip(line[index...], name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }

        /// Where the value begins, if an equals sign comes next.
        private static func afterEquals(_ line: [UInt8], _ start: Int) -> Int? {
            var index = start
            while index < line.count, line[index] == 32 || line[index] == 9 { index += 1 }
            guard index < line.count, line[index] == 61 else { return nil }
            index += 1
            while index < line.count, line[index] == 32 || line[index] == 9 { index += 1 }
            return index
        }

        private static func endOfValue(_ line: [UInt8], _ start: Int) -> Int {
            var index = start
            guard index < line.count else { return index }
            if line[index] == 34 {
                index += 1
                while index < line.count, line[index] != 34, line[index] != 13 {
                    index += line[index] == 92 ? 2 : 1
                }
                return min(index < line.count && line[index] == 34 ? index + 1 : index, line.count)
            }
            while index < line.count, ![32, 9, 44, 13].contains(line[index]) { index += 1 }
            return index
        }

        /// `inline:` keys; everything behind that word up to a semicolon, white space or the lifetime's bar.
        private static func maskedKeys(_ line: [UInt8]) -> [UInt8] {
            let word = Array("inline:".utf8)
            var result: [UInt8] = []
            var index = 0
            while index < line.count {
                guard matches(line, at: index, word) else {
                    result.append(line[index])
                    index += 1
                    continue
                }
                result += line[index..<(index + word.count)]
                result += Array(mark.utf8)
                index += word.count
                while index < line.count, ![32, 9, 13, 59, 124].contains(line[index]) { index += 1 }
            }
            return result
        }
    }
}
