/// One packet of a replay's network, for its picture.
public struct ReplayArrival: Sendable, Equatable {
    /// When its content was sent, in milliseconds on the time line of `ReplayRow`; of a capture as if the first packet had
    /// travelled in no time.
    public var sentMilliseconds: Double
    /// When it came; `nil` when it never did.
    public var arrivalMilliseconds: Double?

    public init(sentMilliseconds: Double, arrivalMilliseconds: Double?) {
        self.sentMilliseconds = sentMilliseconds
        self.arrivalMilliseconds = arrivalMilliseconds
    }
}
