/// Sound that somebody else reads ahead, for one thread that must not wait for it.
public protocol SampleStream: AnyObject, Sendable {
    /// Whether it has ended and all of it was taken.
    var isOver: Bool { get }

    /// Copies the next samples; never waits.
    /// - Parameters:
    ///   - target: where to, `count` samples of room.
    ///   - count: how many are wanted.
    /// - Returns: how many there were: fewer at the end, or where they were not read in time.
    func take(into target: UnsafeMutablePointer<Float>, count: Int) -> Int
}
