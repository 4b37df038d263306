/// What happens to other programs' streams on the output we play to.
public enum OthersEffect: String, Sendable, CaseIterable {
    /// Nothing.
    case mixed
    /// Lowered by the session's `duckingDecibels`.
    case ducked
    /// Lowered to nothing.
    case silenced
}

/// What a category with its options does: the one table of the session model.
public struct CategoryEffect: Sendable, Equatable {
    /// Towards other programs.
    public var others: OthersEffect
    /// Whether the silent switch (`AudioSession.setSilentSwitch`) mutes us.
    public var obeysSilentSwitch: Bool
    /// Whether the route has an input.
    public var input: Bool
    /// Whether the route has an output.
    public var output: Bool
    /// Whether the route may have several outputs, and channel maps are in force.
    public var severalOutputs: Bool

    /// One row of the table; `with` stands for the four combinations none, mix, duck, mix and duck.
    private struct Row {
        let category: SessionCategory
        let with: [OthersEffect]
        let switched: Bool
        let input: Bool
        let output: Bool
        let several: Bool
    }

    // Combinations:   none       mix     duck     mix and duck       silent switch   input  output  several outputs
    private static let table: [Row] = [
        Row(
            category: .ambient, with: [.mixed, .mixed, .ducked, .ducked],
            switched: true, input: false, output: true, several: false),
        Row(
            category: .soloAmbient, with: [.silenced, .silenced, .silenced, .silenced],
            switched: true, input: false, output: true, several: false),
        Row(
            category: .playback, with: [.silenced, .mixed, .ducked, .ducked],
            switched: false, input: false, output: true, several: false),
        Row(
            category: .record, with: [.silenced, .silenced, .silenced, .silenced],
            switched: false, input: true, output: false, several: false),
        Row(
            category: .playAndRecord, with: [.silenced, .mixed, .ducked, .ducked],
            switched: false, input: true, output: true, several: false),
        Row(
            category: .multiRoute, with: [.silenced, .mixed, .ducked, .ducked],
            switched: false, input: true, output: true, several: true),
    ]

    /// The effect of `category` with `options`.
    public init(_ category: SessionCategory, _ options: SessionOptions) {
        let row = Self.table.first { $0.category == category } ?? Self.table[1]
        let column = (options.contains(.mixWithOthers) ? 1 : 0) + (options.contains(.duckOthers) ? 2 : 0)
        others = row.with[column]
        (obeysSilentSwitch, input, output) = (row.switched, row.input, row.output)
        severalOutputs = row.several
    }
}
