import Realtime
import Softphone

/// How the first person comes in where no file holds a token: by a link that is printed at the start. Its secret counts once, for ten
/// minutes, and brings the session that the page has from then on. It is the only secret that is ever printed.
package final class FirstDoor: Sendable {
    /// How long the secret counts, in milliseconds.
    package static let milliseconds = 600_000.0

    /// What the person has from then on.
    package let token: String
    private let secret = Gate.newToken()
    private let made: HostTime
    private let isUsed = Lock(false)
    private let onEntered: @Sendable () -> Void

    /// - Parameters:
    ///   - token: for everything.
    ///   - now: when the link is printed.
    ///   - onEntered: is called once, when the secret was used.
    package init(token: String, now: HostTime, onEntered: @escaping @Sendable () -> Void) {
        (self.token, made, self.onEntered) = (token, now, onEntered)
    }

    /// What is printed. A browser does not send what follows `#`.
    /// - Parameter url: of the service.
    package func link(to url: String) -> String { "\(url)/#\(secret)" }

    /// Somebody opens the link.
    /// - Parameters:
    ///   - given: the secret that he has.
    ///   - now: the time.
    /// - Throws: the secret is wrong, was used, or is too old.
    package func enter(_ given: String, now: HostTime) throws(Problem) {
        guard Gate.isSame(Array(given.utf8), Array(secret.utf8)) else {
            throw Problem(403, "the link is wrong", "open the one that the service printed at its last start", at: "secret")
        }
        guard now.milliseconds(since: made) < Self.milliseconds else {
            throw Problem(
                410, "the link is too old", "it counted for 10 minutes; start the service again for another one", at: "secret")
        }
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        guard isFirst else {
            throw Problem(
                410, "the link was used",
                "it counts once; where that was not you, end the service, remove the token in its state folder, and start it again",
                at: "secret")
        }
        onEntered()
    }

    /// The token of a service that was given none: the one that was kept, or a new one, for which there is a door. It is kept once
    /// somebody has come in by that.
    /// - Parameters:
    ///   - folder: where it is kept; nil: nowhere.
    ///   - now: the time.
    package static func open(keepingIn folder: PeerFolder?, now: HostTime) -> (token: String, door: FirstDoor?) {
        do throws(SoftphoneError) {
            if let token = try folder?.token() { return (token, nil) }
        } catch {
            logger.error("the token that was kept does not count: \(error)")
        }
        let token = Gate.newToken()
        let door = FirstDoor(token: token, now: now) {
            logger.notice("the first link was used; who has it may do everything")
            if (try? folder?.keep(token: token)) == true { return }
            let place = folder.map { "in \($0.path)" } ?? "without a state folder"
            logger.warning(
                "the token cannot be kept \(place), and the next start prints a link again; set softphone.token_file")
        }
        return (token, door)
    }
}
