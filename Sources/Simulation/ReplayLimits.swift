/// What is rendered of a capture at most: all of it is held in memory.
public struct ReplayLimits: Sendable, Equatable {
    /// Sound, in seconds; as long as the longest file that is read.
    public var seconds = 3600.0
    /// Of a stretch without packets, in seconds; as long as a call waits for media before it ends.
    public var gapSeconds = 30.0
    /// Of all such stretches together, in seconds; after that a second of each: a few bytes claim no more sound than they are worth.
    public var allGapsSeconds = 600.0
    /// Whether what is heard is kept, and how each block was made; if not there are figures alone.
    public var keepsSound = true
    /// Blocks; as many as a call pulls in `seconds`.
    var rows: Int { Int(min(max(seconds, 0), 1e6) * 200) }

    /// The usual ones.
    public init() {}
}

/// What of a capture a replay left out.
public struct ReplayOmission: Sendable, Equatable {
    /// Stretches without packets of which only the beginning was rendered, and what of them was passed over, in seconds.
    public internal(set) var gaps = 0
    public internal(set) var gapSeconds = 0.0
    /// Pulls no call makes.
    public internal(set) var pulls = 0
    /// Packets of another program's capture whose payload type nobody said how to decode.
    public internal(set) var otherTypes = 0
    /// Parts of packets that IP had cut: they are not put together.
    public internal(set) var fragments = 0
    /// Packets of which the capture holds a part only.
    public internal(set) var cut = 0
    /// Lost packets that the picture does not show.
    public internal(set) var lossMarks = 0
    /// Whether the replay ended before the capture, because it had rendered as much as is held in memory.
    public internal(set) var isCutOff = false

    /// One line for a person.
    ///
    /// - Parameter limits: those of the replay.
    public func text(_ limits: ReplayLimits = ReplayLimits()) -> String {
        func whole(_ seconds: Double) -> String { String(Int(min(seconds, 1e15).rounded())) }
        var parts: [String] = []
        if isCutOff { parts.append("what comes after \(whole(limits.seconds)) s of sound is not played") }
        if gaps > 0 {
            parts.append(
                "of \(gaps) pauses without packets only \(whole(limits.gapSeconds)) s each, and "
                    + "\(whole(limits.allGapsSeconds)) s of all together, are played: "
                    + "\(whole(gapSeconds)) s are passed over")
        }
        if pulls > 0 { parts.append("\(pulls) pulls of impossible length are passed over") }
        if otherTypes > 0 { parts.append("\(otherTypes) packets of other payload types are not played") }
        parts += Self.parts(fragments: fragments, cut: cut)
        if lossMarks > 0 { parts.append("\(lossMarks) lost packets are not drawn") }
        return parts.joined(separator: "; ")
    }

    /// What a person is told of packets that a capture does not hold whole; nothing where it holds all.
    static func parts(fragments: Int, cut: Int) -> [String] {
        var parts: [String] = []
        if fragments > 0 { parts.append("\(fragments) parts of packets that IP had cut are not played") }
        if cut > 0 { parts.append("\(cut) packets captured in part only are not played: capture with -s 0") }
        return parts
    }
}
