/// Sources that have shown one packet and must show the next one in sequence (RFC 3550 appendix A.1, MIN_SEQUENTIAL 2).
///
/// A table of fixed size, one place for each source by its SSRC: whoever floods the port with invented sources pushes a
/// real one out with each 256th packet only, so that its next packet finds it still there.
struct SourceCandidates {
    private static let places = 256

    private struct Place {
        var ssrc: UInt32 = 0
        var nextSequence: UInt16 = 0
        var isTaken = false
    }

    private var table = [Place](repeating: Place(), count: places)
    private var isEmpty = true

    /// Takes a packet of a source that is not heard yet.
    ///
    /// - Parameter salt: makes the places unknown to strangers.
    /// - Returns: whether it follows the source's packet before: the source is valid.
    mutating func follows(ssrc: UInt32, sequence: UInt16, salt: UInt32) -> Bool {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the number.
        let index = Int(((ssrc ^ salt) &* 0x9e37_79b1) >> 24)
        let isNext = table[index].isTaken && table[index].ssrc == ssrc && table[index].nextSequence == sequence
        table[index] = Place(ssrc: ssrc, nextSequence: sequence &+ 1, isTaken: true)
        isEmpty = false
        return isNext
    }

    /// Whoever was heard must show two packets in a row again.
    mutating func removeAll() {
        guard !isEmpty else { return }
        for index in table.indices { table[index].isTaken = false }
        isEmpty = true
    }
}
