/// An event's place: the service's life, and the number in it. Written `epoch.seq`.
package struct EventID: Sendable, Equatable, CustomStringConvertible {
    package var epoch: String
    package var sequence: UInt64

    package init(epoch: String, sequence: UInt64) { (self.epoch, self.sequence) = (epoch, sequence) }

    /// Reads `epoch.seq`.
    package init?(_ text: String) {
        guard let dot = text.lastIndex(of: "."), let sequence = UInt64(text[text.index(after: dot)...]) else { return nil }
        self.init(epoch: String(text[..<dot]), sequence: sequence)
    }

    package var description: String { "\(epoch).\(sequence)" }
}
