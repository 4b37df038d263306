/// How much sound a call's receive path is asked for at once.
package enum MediaLimits {
    /// Samples pulled from a call's receive path at once, in milliseconds.
    package static let pullMilliseconds = 5
    /// Likewise where a clock has the call go on, and no device: what the jitter buffer works on at once.
    package static let turnMilliseconds = 20
}
