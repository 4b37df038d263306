/// From which frame on a file player's ring holds which place of which file, in a queue: marks that were passed go.
///
/// Holds no more than the ring has places, and costs the same for each mark however many there are: a file of one frame in a
/// loop makes one for each frame.
struct PlaceMarks {
    struct Mark {
        var frame: Int
        var file: Int
        var seconds: Double
        var round: Int
    }

    private var marks: [Mark] = []
    /// Of the oldest mark that still counts.
    private var first = 0

    /// Frames never go back.
    mutating func append(_ mark: Mark) { marks.append(mark) }

    mutating func removeAll() {
        marks.removeAll(keepingCapacity: true)
        first = 0
    }

    /// The mark that holds at `frame`; those before it are forgotten. nil when there is none.
    mutating func place(at frame: Int) -> Mark? {
        while first + 1 < marks.count, marks[first + 1].frame <= frame { first += 1 }
        // Seldom enough that moving the rest costs no more than one step a mark.
        if first > 64, first * 2 > marks.count {
            marks.removeFirst(first)
            first = 0
        }
        return first < marks.count ? marks[first] : nil
    }
}
