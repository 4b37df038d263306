import Link
import Softphone

/// Calls of browsers: their candidates come late, and other calls use them as handsets.
extension CallBook {
    /// Takes a place, makes a browser's call by `begin`, and follows it: its candidates take their time.
    /// - Parameters:
    ///   - name: of the handset.
    ///   - source: where the offer came from.
    func openBrowser(
        name: String?, audio: AudioEnd?, bridge: CallBridge?, source: IPAddress?,
        begin: () async throws(SoftphoneError) -> BrowserConversation
    ) async throws(Problem) -> (record: CallRecord, conversation: BrowserConversation) {
        let id = try takePlace(.browser, of: source, at: bridge)
        let made: BrowserConversation
        do throws(SoftphoneError) { made = try await begin() } catch {
            giveBack(id)
            throw Problem(error)
        }
        var record = CallRecord(id: id, .incoming, kind: .browser, account: nil, audio: audio ?? .handset(id))
        record.name = name
        let followed = try follow(made.call, record, source: source, bridge: bridge)
        attach(made, to: id)
        return (followed, made)
    }

    /// A browser's call has a place for late candidates.
    func attach(_ browser: BrowserConversation, to id: String) {
        state.withLock { state in
            if state.entries[id]?.live != nil { state.entries[id]?.browser = browser }
        }
    }

    /// The calls that a browser is the handset of, to be joined by another one.
    package func bridge(of handset: String) throws(Problem) -> CallBridge {
        let found = state.withLock { state -> CallBridge? in
            guard let entry = state.entries[handset], entry.isRunning else { return nil }
            return entry.browser?.bridge
        }
        guard let found else {
            throw .badField(
                "audio.handset",
                "no browser is here as handset '\(handset.prefix(80))'; make one by POST /v1/webrtc?handset=true")
        }
        return found
    }

    /// Hands a browser's late candidates on.
    func trickle(_ id: String, _ fragment: [UInt8]) throws(Problem) -> String? {
        guard let browser = state.withLock({ $0.entries[id]?.browser }) else { throw .conflict("the call is over") }
        do throws(SoftphoneError) { return try browser.trickle(fragment) } catch {
            throw Problem(400, "the fragment cannot be used", error.description)
        }
    }
}
