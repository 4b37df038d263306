/// The greatest figure of all parties but one, for each of them, where every party's figure is asked for once.
package struct FarthestOther: Sendable {
    private var party: Int?
    private var greatest: Double?
    /// The greatest of all others than `party`.
    private var second: Double?

    package init() {}

    /// Takes the figure of `party`; `nil`: it is not known.
    package mutating func add(_ value: Double?, of party: Int) {
        guard let value else { return }
        if let greatest, greatest >= value {
            second = max(second ?? value, value)
        } else {
            second = greatest
            (self.party, greatest) = (party, value)
        }
    }

    /// The greatest of those that are not of `party`; `nil`: none is known.
    package func value(without party: Int) -> Double? { party == self.party ? second : greatest }
}
