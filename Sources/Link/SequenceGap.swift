/// How far RTP's sequence numbers may leap within one stream (RFC 3550 appendix A.1).
package enum SequenceGap {
    /// MAX_DROPOUT: from so many packets on a gap is a restart, and no loss.
    package static var restart: Int { 3000 }

    /// Whether a stream that came as far as `sequence` goes on with `next`.
    package static func goesOn(from sequence: UInt16, to next: UInt16) -> Bool {
        (1..<UInt16(restart)).contains(next &- sequence)
    }
}
