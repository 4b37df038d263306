/// Puts SRV records into the order in which they are tried, RFC 2782: by priority, within one at random by weight.
public func orderedByWeight(
    _ records: [SRVRecord], random: inout some RandomNumberGenerator
) -> [SRVRecord] {
    var ordered: [SRVRecord] = []
    for priority in Set(records.map(\.priority)).sorted() {
        // Those of weight 0 first, so that they are seldom the first choice.
        var left = records.filter { $0.priority == priority }
        left = left.filter { $0.weight == 0 } + left.filter { $0.weight != 0 }
        while !left.isEmpty {
            let sum = left.reduce(0) { $0 + Int($1.weight) }
            let drawn = Int.random(in: 0...sum, using: &random)
            var running = 0
            let index = left.firstIndex {
                running += Int($0.weight)
                return running >= drawn
            }
            ordered.append(left.remove(at: index ?? 0))
        }
    }
    return ordered
}
