/// What becomes of a call that rings here. Persons and rules meet at this one place: whoever takes the call first has it, and nobody else
/// does anything to it.
package enum Ringing: Sendable, Equatable {
    /// Nobody has done anything about it.
    case free
    /// Its rule calls somebody else for it; a person may still take it.
    case forwarded(Forward)
    /// It is being answered, refused or ended.
    case taken

    /// A call that a rule makes for one that rings.
    package struct Forward: Sendable, Equatable {
        /// The id of the call that is made.
        package let call: String
        /// What the call that rings had as its audio end before.
        package let audio: AudioEnd
    }
}

extension CallRecord {
    /// Whether a person may take it.
    package var rings: Bool { direction == .incoming && state == .ringing && ringing != .taken }

    /// Whether its rule may.
    var waitsForRule: Bool { rings && ringing == .free }

    /// Whether it waits for the answer of that call.
    func isForwarded(by call: String) -> Bool {
        guard rings, case .forwarded(let forward) = ringing else { return false }
        return forward.call == call
    }

    /// Somebody takes it; its audio end is what it was before a rule forwarded it.
    /// - Returns: the call that its rule has made for it, and that is not wanted any more; the audio end, where it had another.
    mutating func take() -> (unwanted: String, former: AudioEnd?)? {
        defer { ringing = .taken }
        guard case .forwarded(let forward) = ringing else { return nil }
        guard audio == .call(forward.call) else { return (forward.call, nil) }
        audio = forward.audio
        return (forward.call, forward.audio)
    }
}
