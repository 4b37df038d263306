/// What of a play-out hangs on how it sounds: how much is left out where sounds are joined, by how much sound is stretched, what is taken
/// for a pause or a tone.
///
/// Noted while a stream is played, they stand for its sound when it is played again with blanked payloads: all else follows from numbers
/// and times, so that the figures are the same.
///
/// Sendable: confined to the thread that pulls.
public final class SoundDecisions: @unchecked Sendable {
    private var values: [Int]
    /// The next one that is given; `nil`: they are noted.
    private var next: Int?

    /// - Parameter areGiven: whether those that are added count in place of what the sound decides; else that is noted.
    public init(areGiven: Bool = false) { (values, next) = ([], areGiven ? 0 : nil) }

    /// Gives what was noted before.
    /// - Parameter part: one of `parts(runs:)`, after those before it; what is no number ends it.
    public func add(_ part: String) {
        for word in part.split(separator: ",") {
            let numbers = word.split(separator: "*").map { Int($0) }
            guard numbers.count <= 2, let value = numbers.first ?? nil, let count = numbers.count == 2 ? numbers[1] : 1,
                count > 0, count <= Self.most - values.count
            else { return }
            values += repeatElement(value, count: count)
        }
    }

    /// More is no hour of speech.
    private static let most = 4_000_000

    /// What was noted, as text in parts of at most so many runs: `VALUE` or `VALUE*TIMES`, with commas between them.
    /// - Parameter runs: of one part.
    /// - Returns: the parts.
    public func parts(runs: Int = 2000) -> [String] {
        var words: [String] = []
        var start = 0
        while start < values.count {
            let end = values[start...].firstIndex { $0 != values[start] } ?? values.count
            words.append(end - start == 1 ? "\(values[start])" : "\(values[start])*\(end - start)")
            start = end
        }
        return stride(from: 0, to: words.count, by: max(1, runs)).map {
            words[$0..<min($0 + max(1, runs), words.count)].joined(separator: ",")
        }
    }

    /// Notes what the sound decided, or gives what another sound had decided.
    /// - Parameters:
    ///   - own: what the sound decides.
    ///   - range: what is possible: a file may claim anything.
    /// - Returns: what counts.
    func settle(_ own: Int, in range: ClosedRange<Int>) -> Int {
        guard let place = next else {
            if values.count < Self.most { values.append(own) }
            return own
        }
        guard place < values.count else { return own }
        next = place + 1
        return min(max(values[place], range.lowerBound), range.upperBound)
    }
}

extension SoundDecisions? {
    /// What counts of a yes or no; without decisions the sound's own.
    /// - Parameter own: what the sound decides.
    /// - Returns: what counts.
    func settle(_ own: Bool) -> Bool { self.map { $0.settle(own ? 1 : 0, in: 0...1) == 1 } ?? own }
}
