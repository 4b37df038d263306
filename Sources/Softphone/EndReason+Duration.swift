import Media

extension Media.EndReason {
    /// Why a call that signalling begins ends when its duration has passed: without an answer there was no call that could last.
    static func durationPassed(isAnswered: Bool) -> Media.EndReason { isAnswered ? .duration : .noAnswer }

    /// What is told of one that nobody answered.
    static let unansweredText = "nobody answered before the duration (--duration) had passed"
}
