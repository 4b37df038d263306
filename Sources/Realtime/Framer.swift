/// Cuts a stream that comes in blocks of any size into frames of exactly one size.
///
/// Driven by the data, never by a timer: a turn takes as many whole frames as there are and leaves the rest for the
/// next.
/// The mirrored ring already holds the samples in a row, so a frame is a view of it and not a copy.
public struct Framer: Sendable {
    /// Samples of a frame, 1 or more.
    public let frameLength: Int

    public init(frameLength: Int) {
        precondition(frameLength > 0, "a frame of \(frameLength) samples")
        self.frameLength = frameLength
    }

    /// Hands every whole frame in `ring` to `body`, oldest first; a frame is valid only during the call.
    /// - `ring`: must be mirrored.
    /// - Returns: frames handed over.
    @discardableResult
    public func process(_ ring: inout RingConsumer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void) -> Int {
        precondition(ring.isMirrored, "a framer hands out contiguous frames and needs a mirrored ring")
        var frames = 0
        while ring.available(wanted: frameLength) >= frameLength {
            ring.withFilled { body(UnsafeBufferPointer(rebasing: $0[..<frameLength])) }
            ring.consume(frameLength)
            frames += 1
        }
        return frames
    }
}
