import RTP

/// What the other side lost of the stream that we send, over all our SSRCs: its reports count each by itself.
struct RemoteLosses {
    /// Packets that it missed, without those that it got twice (RFC 3550 section 6.4.1).
    private(set) var lost = 0
    /// Packets that it should have got, as its numbers tell.
    private var expected = 0
    /// Both, of the SSRCs that we gave up.
    private var before = (lost: 0, expected: 0)
    /// Number of the first packet under our SSRC that it can have got; below zero where the numbers began anew before it heard any.
    private var first: Int

    init(first: UInt16) { self.first = Int(first) }

    /// What follows bears another SSRC.
    mutating func changeSource(first: UInt16) {
        before = (lost, expected)
        self.first = Int(first)
    }

    mutating func take(_ block: ReportBlock) {
        // Negative where more came twice than was lost.
        lost = before.lost + max(0, Int(block.cumulativeLost))
        if Int(block.highestSequence) < first { first -= 65_536 }
        expected = before.expected + Int(block.highestSequence) - first + 1
    }

    /// Lost of expected, 0…1. Both ways to know it tell too little rather than too much: numbers leave out what hides behind
    /// packets that came twice, VoIP metrics (RFC 3611 section 4.7) what is less than 1/256.
    /// - Parameters:
    ///   - metrics: what VoIP metrics tell of our present SSRC; `nil`: there are none.
    ///   - interval: of the last report alone, for where its numbers make no sense.
    func ratio(metrics: Double?, interval: Double) -> Double {
        guard expected > 0, lost <= expected else { return metrics ?? interval }
        let counted = Double(lost) / Double(expected)
        return before.expected > 0 ? counted : max(counted, metrics ?? 0)
    }
}
