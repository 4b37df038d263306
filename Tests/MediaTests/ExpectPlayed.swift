import Testing

/// Expects that the device has played what was pulled, after a start of silence from the empty ring.
///
/// - Parameters:
///   - pulled: what came out of the jitter buffer, or of a replay.
///   - played: what the device got.
///   - least: more samples than these, from the first sound on.
///   - sourceLocation: where a failure is shown.
/// - Throws: where one of them is silent.
func expectPlayed(
    _ pulled: [Float], by played: [Float], moreThan least: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let start = try #require(pulled.firstIndex { $0 != 0 }, sourceLocation: sourceLocation)
    let first = try #require(played.firstIndex { $0 != 0 }, sourceLocation: sourceLocation)
    let count = min(played.count - first, pulled.count - start)
    #expect(count > least, sourceLocation: sourceLocation)
    #expect(
        played[first..<first + count].elementsEqual(pulled[start..<start + count]), sourceLocation: sourceLocation)
}
