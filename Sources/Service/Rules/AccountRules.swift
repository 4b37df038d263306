import Settings
import Signalling
import Softphone

/// What becomes of calls that come for an account, when nobody says otherwise.
package struct AccountRules: Sendable, Equatable {
    /// What is done with a call that nobody has answered.
    package var unanswered = AccountUnanswered.ring
    /// After so many rings of 5 s.
    package var rings = 4
    /// What is said: by `announce`, and before a message.
    package var announcement: String?
    /// The same as it was named, in `softphone.folder`.
    package var announcementName: String?
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
                if case .play(_, let path, _) = try ends.play(name) { (announcement, announcementName) = (path, name) }
            } catch { throw .request("\(error.detail), in \(place).announcement") }
        }
        if let target = forwardTo, let problem = CallTarget.problem(with: target, hasAccount: true) {
            throw .request("\(problem), in \(place).forward_to '\(target.prefix(200))'; write sip:USER@HOST, or tel:")
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
        guard !callers.isEmpty else { return true }
        let names = AddressPattern.names(of: uri)
        return callers.contains { text in
            // What stands for one address is read as addresses are; where it has a port, with that.
            let own = text.contains("*") ? [] : AddressPattern.names(of: text).suffix(1)
            let patterns = [AddressPattern.bare(text)] + own
            return patterns.contains { pattern in names.contains { AddressPattern.matches($0, pattern) } }
        }
    }
}
