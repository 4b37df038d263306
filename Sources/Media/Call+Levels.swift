import RTP

/// What a mix of many calls needs to know of each, and tells it.
extension Call {
    /// How loud the other side says that its newest packet is (RFC 6464); nil: it does not say.
    package var claimedLevel: AudioLevel? { stream.receivePath.receiver.level }

    /// The source that is heard; nil before the first packet.
    package var heardSource: UInt32? { stream.receivePath.receiver.ssrc }

    /// Whether what comes is decoded; only where the other side says how loud it is can it be left out. What comes is counted all the
    /// same.
    package var isDecoded: Bool {
        get { stream.receivePath.decoding?.isOn ?? true }
        set { stream.receivePath.decoding?.isOn = newValue }
    }

    /// Whether the other side is told who is heard in what it is sent (RFC 6465).
    package var tellsSpeakers: Bool { stream.configuration.levels.sent != nil }

    /// Who is heard in what is sent next.
    package func tell(_ speakers: ContributingSources) { stream.sendPath.speakers = speakers }
}
