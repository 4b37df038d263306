import Media
import Realtime

/// Where the owner of a running session leaves parties for the media thread, and says when no more will come.
final class SessionDoor: Sendable {
    private struct State {
        var isOpen: Bool
        var parties: Int
        var arrivals: [HandedOver<CallLeg>] = []
    }

    /// Whether the session goes on without parties, and a party that is over leaves.
    let staysOpen: Bool
    private let mostParties: Int
    private let state: Lock<State>

    /// - Parameters:
    ///   - staysOpen: whether parties may come while the session runs.
    ///   - parties: that are there from the beginning.
    ///   - mostParties: for whom there is room at a time.
    init(staysOpen: Bool, parties: Int, mostParties: Int) {
        self.staysOpen = staysOpen
        self.mostParties = mostParties
        state = Lock(State(isOpen: staysOpen, parties: parties))
    }

    /// Leaves a party for the media thread. Its caller has no further use of `leg`.
    /// - Throws: `MediaLoopError.over` once the door is closed, `.full` while there is no room.
    func enter(_ leg: CallLeg) throws(MediaLoopError) {
        let arrival = HandedOver(value: leg)
        let mostParties = mostParties
        try state.withLock { state throws(MediaLoopError) in
            guard state.isOpen else { throw .over }
            guard state.parties < mostParties else { throw .full(parties: mostParties) }
            state.parties += 1
            state.arrivals.append(arrival)
        }
    }

    /// Who has come since the last time, in order.
    func takeArrivals() -> [CallLeg] {
        guard staysOpen else { return [] }
        let arrivals = state.withLock { state -> [HandedOver<CallLeg>] in
            defer { state.arrivals = [] }
            return state.arrivals
        }
        return arrivals.map(\.value)
    }

    /// Whether somebody has come.
    var hasArrivals: Bool { staysOpen && state.withLock { !$0.arrivals.isEmpty } }

    /// A party has left: there is room for another one.
    func leave() { state.withLock { $0.parties -= 1 } }

    /// No more will come.
    func close() { state.withLock { $0.isOpen = false } }

    /// Whether nobody is on the way, and nobody may come.
    var isDone: Bool { state.withLock { !$0.isOpen && $0.arrivals.isEmpty } }
}
