import Codecs
import Softphone

/// In which codecs the calls of a load are made, and how many of them in each: `pcmu=7,opus=3`. Those of each are spread evenly.
package struct CodecMix: Sendable, Equatable {
    /// What may stand behind a codec.
    private static let shares = 1...1000

    /// Each of them once.
    package let codecs: [Codec]
    /// How many calls of a round each of them has.
    private let counts: [Int]
    /// A round: the place in `codecs` for each of its calls.
    private let round: [Int]

    /// All calls in one codec.
    package init(_ codec: Codec) { self.init([(codec, 1)]) }

    /// - Throws: what makes no sense, where, and what to do.
    package init(parsing text: String) throws(SoftphoneError) {
        func fail(_ reason: String) -> SoftphoneError { .request("\(reason), in --mix '\(text)'; write it like pcmu=7,opus=3") }
        var parts: [(codec: Codec, share: Int)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw fail("'\(part)' is not CODEC=SHARE") }
            guard let codec = Codec(String(pair[0])) else {
                throw fail("'\(pair[0])' is no codec (\(Codec.names))")
            }
            guard let share = Int(pair[1]), Self.shares.contains(share) else {
                throw fail("'\(pair[1])' is no share (\(Self.shares.lowerBound) to \(Self.shares.upperBound))")
            }
            guard !parts.contains(where: { $0.codec == codec }) else { throw fail("\(codec.name) stands twice") }
            parts.append((codec, share))
        }
        self.init(parts)
    }

    private init(_ parts: [(codec: Codec, share: Int)]) {
        let divisor = parts.reduce(0) { Self.commonDivisor($0, $1.share) }
        let counts = parts.map { $0.share / divisor }
        codecs = parts.map { $0.codec }
        self.counts = counts
        let total = counts.reduce(0, +)
        // Who has waited for most of a call is next.
        var waiting = counts.map { _ in 0 }
        round = (0..<total).map { _ in
            for index in waiting.indices { waiting[index] += counts[index] }
            let next = waiting.indices.reduce(0) { waiting[$1] > waiting[$0] ? $1 : $0 }
            waiting[next] -= total
            return next
        }
    }

    private static func commonDivisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : commonDivisor(other, one % other) }

    /// The place in `codecs` of that call's codec: the seed says where in a round the load begins.
    package func index(ofCall number: Int, seed: UInt64) -> Int {
        round[(number + Int(seed % UInt64(round.count))) % round.count]
    }

    /// As it is written; of one codec its name.
    package var text: String {
        if codecs.count == 1 { return codecs[0].name }
        return zip(codecs, counts).map { "\($0.name)=\($1)" }.joined(separator: ",")
    }
}
