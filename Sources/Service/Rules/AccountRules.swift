import Settings
import Softphone

/// What becomes of calls that come for an account, when nobody says otherwise.
package struct AccountRules: Sendable, Equatable {
    /// What is done with a call that nobody has answered.
    package var unanswered = AccountUnanswered.ring
    /// After so many rings of 5 s.
    package var rings = 4
    /// What is said: by `announce`, and before a message.
    package var announcement: String?
    package var forwardTo: String?
    /// Longest message, s.
    package var messageSeconds = 120
    /// Who may call; empty: everybody.
    package var callers: [String] = []
    /// Names of the handsets that ring; empty: all.
    package var handsets: [String] = []

    package static let ringSeconds = 5.0

    package init() {}

    /// - Parameter ends: knows the folder of what may be played.
    init(_ item: ConfigurationItem<AccountKeys>, ends: AudioEnds) throws(SoftphoneError) {
        let place = "accounts.\(item.name ?? "")"
        unanswered = item[\.unanswered]
        rings = item[\.rings]
        forwardTo = item[\.forwardTo]
        messageSeconds = item[\.messageSeconds]
        (callers, handsets) = (item[\.callers], item[\.handsets])
        if let name = item[\.announcement] {
            do throws(Problem) {
                if case .play(_, let path, _) = try ends.play(name) { announcement = path }
            } catch { throw .request("\(error.detail), in \(place).announcement") }
        }
        if unanswered == .forward, forwardTo == nil {
            throw .request("\(place) forwards calls to nobody; set forward_to: sip:USER@HOST")
        }
        if unanswered == .announce, announcement == nil {
            throw .request("\(place) has nothing to announce; set announcement: FILE, in softphone.folder")
        }
    }

    /// Whether somebody may call.
    /// - Parameter uri: of the caller, who chooses it.
    package func admits(_ uri: String) -> Bool {
        callers.isEmpty || callers.contains { Self.matches(Self.bare(uri), Self.bare($0)) }
    }

    /// Without scheme, parameters and brackets, in lower case.
    private static func bare(_ uri: String) -> Substring {
        var text = uri.lowercased()[...]
        if let open = text.firstIndex(of: "<") { text = text[text.index(after: open)...].prefix { $0 != ">" } }
        for scheme in ["sips:", "sip:", "tel:"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
        return text.prefix { $0 != ";" && $0 != "?" }
    }

    /// `*` stands for any characters; one pass, so that no pattern takes long.
    private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last else { return text.isEmpty }
        guard parts.count > 1 else { return text == pattern }
        guard text.count >= first.count + last.count, text.hasPrefix(first), text.hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
