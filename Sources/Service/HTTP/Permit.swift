/// The token of a request, for whatever goes on longer than the request: a reload may change what it allows.
package struct Permit: Sendable {
    private let gate: Gate
    private let token: [UInt8]

    /// - Parameters:
    ///   - gate: knows what tokens allow.
    ///   - token: of the request.
    init(_ gate: Gate, token: [UInt8]) { (self.gate, self.token) = (gate, token) }

    /// Whether it allows that much now.
    /// - Parameter least: the role that is needed.
    package func allows(_ least: Role) -> Bool { gate.role(of: token).map { $0 >= least } ?? false }

    /// Has something end once the token does not allow it any more; at once where it does not now.
    /// - Parameters:
    ///   - least: the role that is needed.
    ///   - onLapse: ends it, on any thread.
    /// - Returns: to be kept for as long as it goes on.
    package func hold(_ least: Role, onLapse: @escaping @Sendable () -> Void) -> Hold {
        let hold = Hold(gate, gate.enter(token, least, onLapse))
        if !allows(least) { onLapse() }
        return hold
    }

    /// What goes on by a token.
    package final class Hold: Sendable {
        private let gate: Gate
        private let number: Int

        fileprivate init(_ gate: Gate, _ number: Int) { (self.gate, self.number) = (gate, number) }

        deinit { gate.leave(number) }
    }
}
