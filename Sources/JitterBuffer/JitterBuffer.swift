import Codecs
import Realtime

/// Adaptive play-out buffer of one received stream.
///
/// Sans-I/O: packets go in with their arrival time, samples are pulled at times that the caller gives. One thread owns
/// it; after warm-up neither `insert` nor `pull` allocates.
public final class JitterBuffer {
    public let configuration: JitterBufferConfiguration
    public private(set) var statistics = JitterBufferStatistics()

    /// - Parameters:
    ///   - decoder: the codec; its sample rate is that of the pulled sound.
    ///   - clockRate: RTP clock units per second (8000...192000), which may differ from the sample rate.
    public init(
        decoder: any AudioDecoder, clockRate: Int, configuration: JitterBufferConfiguration = JitterBufferConfiguration()
    ) {
        self.configuration = configuration
    }

    /// Stores a packet. Any bytes and any numbers are accepted; what cannot be played is dropped and counted.
    @discardableResult
    public func insert(_ packet: BufferedPacket) -> InsertOutcome { .accepted }

    /// Fills the whole of `samples` with the sound due at `now`. Any length works, 5...20 ms is sensible.
    public func pull(into samples: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        PullOutcome(reason: .waiting, targetMs: 0, levelMs: 0, samples: samples.count)
    }

    /// Drops what is stored and starts anew with the next packet, keeping what was learnt of the network.
    public func reset(_ reason: ResetReason) {}

    /// Puts another decoder in place (payload type change). Stored packets of the old one are dropped.
    public func replaceDecoder(_ decoder: any AudioDecoder, clockRate: Int) {}

    /// Sample rate of the pulled sound.
    public var sampleRate: Int { 0 }

    /// Milliseconds from a packet's arrival until its first sample is due in the pulled stream, now and on average;
    /// nil before playing. The sample at offset k of a pulled block counts as due k samples after the pull, so a
    /// device ring behind it counts its fill *before* the block is written.
    public var currentDelayMilliseconds: Double? { nil }

    /// The sender's clock against this host's in parts per million, positive when the sender's runs fast; nil until
    /// 20 s have been heard.
    public var driftPPM: Double? { nil }
}
