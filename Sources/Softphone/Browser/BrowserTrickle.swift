import ICE
import Realtime

/// What follows a browser's offer by HTTP: its candidates, ours that came late, and restarts of ICE that it wants.
final class BrowserTrickle: Sendable {
    private struct State {
        /// Who the browser is.
        var userFragment: String
        /// Ours that it was told.
        var told: [TrickledCandidate]
        /// Who both are since the browser's last restart.
        var restart: (remote: ICECredentials, own: ICECredentials)?
    }

    private let mail: PathMail
    private let state: Lock<State>

    init(_ mail: PathMail, userFragment: String, told: [TrickledCandidate]) {
        self.mail = mail
        state = Lock(State(userFragment: userFragment, told: told))
    }

    /// Takes a fragment.
    /// - Returns: ours, with what is new; nil: nothing is.
    func take(_ body: [UInt8]) throws(SoftphoneError) -> String? {
        try state.withLock { (state) throws(SoftphoneError) in
            let fragment = try TrickleFragment(body, userFragment: state.userFragment)
            let late = mail.takeLate()
            state.told += late
            // The answer to a restart may be lost, and the browser asks again.
            if let restart = state.restart, fragment.repeats(restart.remote) {
                return TrickleFragment.text(state.told, as: restart.own)
            }
            guard let restart = fragment.restart else {
                mail.leave(fragment.candidates)
                return TrickleFragment.text(late)
            }
            // Our socket stays, and so do our addresses (RFC 9725 section 4.3.3): only our name is new.
            let own = ICECredentials.random()
            state.userFragment = restart.userFragment
            state.restart = (restart, own)
            mail.order(.follow(RemoteEnd(restart, isLite: false, candidates: fragment.candidates), own: own))
            return TrickleFragment.text(state.told, as: own)
        }
    }
}
