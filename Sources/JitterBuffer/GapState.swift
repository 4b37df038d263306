/// Sound invented since the stream broke off.
struct Gap {
    /// Samples that stand in the place of content not yet there.
    var concealed: Int64 = 0
    /// Those of them that were due while the buffer was empty.
    var emptied: Int64 = 0
    /// Whether it is among the concealments: silence invented in a pause alone is none.
    var isCounted = false
    /// Whether what was invented last is silence.
    var isSilence = false
    /// Whether it went beyond a short gap.
    var isLong = false
    /// Whether contents were decoded into the kept state, which has then gone another way than the concealing one.
    var hasDropped = false
    /// Whether the next sound does not continue the last sample by sample.
    var needsMerge = false
    /// Samples in the workspace that the concealment would have gone on with; 0 when none were made.
    var continuation = 0
    /// Samples by which the delay grows when the stream resumes.
    var shift: Int64 = 0

    /// Samples invented since the stream broke off, whatever became of the content.
    var invented: Int64 = 0

    var isOpen: Bool { concealed > 0 || hasDropped }
}
