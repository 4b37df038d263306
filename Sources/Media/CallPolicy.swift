/// What begins a call and what ends it, besides the person and signalling.
public struct CallPolicy: Sendable, Equatable {
    /// When a call has begun.
    public enum Beginning: Sendable, Equatable {
        /// With the other side's first media: nobody signals.
        case firstMedia
        /// When signalling says that it was answered. Before that, and before early media, nothing is sent and nothing played.
        case answer
    }

    /// When the call has begun.
    public var beginning: Beginning
    /// Whether an RTCP BYE of the heard source ends the call, once its voice stays out too. Where calls are signalled it only
    /// says that the source is gone (RFC 3550 section 6.6): another may follow.
    public var endsByGoodbye: Bool
    /// Silence on RTP and RTCP that ends the call, in milliseconds; counted while something is to be expected.
    public var mediaTimeoutMilliseconds = 30_000.0
    /// Whoever listens waits for the first media without an end.
    public var waitsForCaller = false

    /// Plain RTP: media is all there is.
    public static let unsignalled = CallPolicy(beginning: .firstMedia, endsByGoodbye: true)
    /// Signalling begins and ends the call; the media time-out remains, for a peer that is gone without a word.
    public static let signalled = CallPolicy(beginning: .answer, endsByGoodbye: false)

    private init(beginning: Beginning, endsByGoodbye: Bool) {
        self.beginning = beginning
        self.endsByGoodbye = endsByGoodbye
    }
}
