/// The known name that a misspelt one probably means.
///
/// - Returns: the name with the smallest edit distance (Levenshtein 1966), or `nil` when none is near: more than a
///   third of its letters would have to change.
public func nearestName(to wrong: String, among known: [String]) -> String? {
    var best: (name: String, distance: Int)?
    for name in known {
        let distance = editDistance(Array(wrong.utf8.prefix(80)), Array(name.utf8))
        if distance < best?.distance ?? .max { best = (name, distance) }
    }
    guard let best, best.distance <= max(2, best.name.utf8.count / 3) else { return nil }
    return best.name
}

private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let substituted = diagonal + (a == b ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
        }
    }
    return row[right.count]
}
