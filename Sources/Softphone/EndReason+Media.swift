import Media

extension Media.EndReason {
    /// What is told of a call that its media have ended, and what to do; `nil`: the reason says all.
    /// - Parameters:
    ///   - other: who is at the other end.
    ///   - wasHeard: whether anything came from there before.
    package func explanation(of other: String, wasHeard: Bool) -> String? {
        guard self == .mediaTimeout else { return nil }
        guard wasHeard else {
            return "nothing came from \(other); is it running, and is a firewall or a NAT between?"
        }
        return "nothing came from \(other) any more; it is gone, or its address or our own has changed: call again"
    }
}
