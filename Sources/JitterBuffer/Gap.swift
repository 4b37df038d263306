/// Sound that was concealed since the stream broke off.
package struct Gap {
    /// Samples that stand in the place of media not yet there.
    package var concealed: Int64 = 0
    /// Those of them that were due while the buffer was empty.
    package var emptied: Int64 = 0
    /// Samples concealed since the stream broke off, whatever became of the media.
    package var elapsed: Int64 = 0
    /// Samples of silence that were made because the sender seemed to pause and nothing came, within a short gap and
    /// beyond it: the next packet may tell that it had sent.
    package var presumed: (short: Int64, long: Int64) = (0, 0)
    /// Whether it is among the concealments: silence made in a pause alone is none.
    package var isCounted = false
    /// Whether it is among the underruns.
    package var isUnderrun = false
    /// Whether what was made last is silence.
    package var isSilence = false
    /// Whether it went beyond a short gap.
    package var isLong = false
    /// Whether packets were decoded into the kept decoder state, which has then gone another way than the concealing one.
    package var hasDropped = false
    /// Whether the next sound does not continue the last sample by sample.
    package var needsMerge = false
    /// Whether the filler's continuation holds what the concealment would have gone on with.
    package var hasContinuation = false
    /// Samples by which the delay grows when the stream resumes, and that a good join may take back.
    package var shift: Int64 = 0

    package init() {}

    /// A stream that begins, or goes on elsewhere: the next sound does not continue the last.
    static var beforeJoin: Gap {
        var gap = Gap()
        gap.needsMerge = true
        return gap
    }

    package var isOpen: Bool { concealed > 0 || hasDropped }
}
