import Media

/// What a runner tells whoever finds out afterwards what was heard.
enum LoadNews: Sendable {
    /// What came back in the call of that number.
    case heard(Int, HeardStretch)
    /// The call is over.
    case over(LoadCall)
    /// All calls of a runner are: its last word.
    case end(LoadRunnerFigures)
}

/// What a runner counted of all of its calls together.
struct LoadRunnerFigures: Sendable {
    /// Its own lateness, milliseconds: a packet's time to leave until it left.
    var lateness = LatenessMeter()
    /// Datagrams that are neither RTP of the payload type nor RTCP.
    var otherPackets = 0
    /// Calls that could not even begin, and the first reason.
    var failures = 0
    var firstFailure: String?
    /// Packets, RTCP among them, that the kernel refused to send.
    var sendFailures = 0
    /// Error number of the last of them; nil: there was none.
    var lastSendError: Int32?
    /// Processor time of its thread, milliseconds.
    var processorMilliseconds = 0.0
    /// Stretches of sound that nobody had time to look at.
    var stretchesLeftOut = 0
}
