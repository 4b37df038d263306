/// Why a call is over.
public enum EndReason: String, Sendable, Codable, CaseIterable {
    /// This side hung up.
    case localHangup = "local_hangup"
    /// The other side hung up: by signalling or, where nobody signals, by RTCP.
    case remoteHangup = "remote_hangup"
    /// Neither RTP nor RTCP came for the time-out, though something was to be expected.
    case mediaTimeout = "media_timeout"
    /// The duration asked for has passed.
    case duration
    /// Both sides send back what they hear.
    case echoLoop = "echo_loop"
    // What only signalling can tell:
    /// The other side is in another call.
    case busy
    /// The other side, or a server on the way, refused the call, or sent the caller elsewhere.
    case refused
    /// Nobody answered in time.
    case noAnswer = "no_answer"
    /// The caller gave up before the answer.
    case cancelled
    /// A password was wanted or wrong, or a certificate not the expected one.
    case authentication
    /// The other side was handed on to somebody else.
    case transferred
    /// Another call took this one's place.
    case replaced
    /// No way to the other side, a server that fails, or a call that is no longer acknowledged.
    case network
}

/// Who holds a call.
public enum Holder: Sendable, Equatable {
    /// We take no media.
    case us
    /// The other side takes none.
    case peer
    case both
}

/// Where a call stands: `connecting -> [ringing] -> [earlyMedia] -> active <-> held -> ended`.
public enum CallState: Sendable, Equatable {
    /// Nothing has been heard of the other side yet.
    case connecting
    /// Signalling: a phone rings.
    case ringing
    /// Signalling: media flows before the answer.
    case earlyMedia
    /// The call has begun.
    case active
    /// One side takes no media, or neither does (RFC 3264 section 8.4). RTCP goes on.
    case held(by: Holder)
    /// Over; nothing is sent or played any more.
    case ended(EndReason)

    /// Whether the call is over.
    public var isEnded: Bool {
        if case .ended = self { true } else { false }
    }
}
