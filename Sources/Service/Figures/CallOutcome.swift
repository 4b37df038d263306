/// What came of an attempt to set up a session, as RFC 6076 counts it.
package enum CallOutcome: String, Sendable, CaseIterable {
    /// By 200: the numerator of the session establishment ratio (section 4.6).
    case answered
    /// By a response 3xx, which neither ratio counts.
    case redirected
    /// By 480, 486, 600 or 603: the person's choice, effective by section 4.7.
    case declined
    /// By 408, 500, 503 or 504: an ineffective session attempt (section 4.8).
    case ineffective
    /// By whoever called, before the answer.
    case cancelled
    /// By any other response, or by none.
    case failed

    /// Of a call that ended before its answer.
    init(sipCode: Int?, endReason: String?) {
        switch sipCode {
        case 487?: self = .cancelled
        case let code? where (300...399).contains(code): self = .redirected
        case 480?, 486?, 600?, 603?: self = .declined
        case 408?, 500?, 503?, 504?: self = .ineffective
        default: self = ["cancelled", "local_hangup"].contains(endReason) ? .cancelled : .failed
        }
    }
}
