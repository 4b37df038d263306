/// The codecs there are. Adding one takes its file and a word here, and another if calls are to offer it unasked.
extension Codec: CaseIterable {
    public static let allCases: [Codec] = [opus, g722, pcmu, pcma, l16]

    /// Those that are offered where nobody chooses, the most wanted first.
    public static let usual: [Codec] = [opus, g722, pcmu, pcma]
}

/// By name: the text form of a codec is its name.
extension Codec: LosslessStringConvertible {
    public var description: String { name }

    /// The codec of that name, in upper or lower case; nil when there is none.
    public init?(_ description: String) {
        let wanted = description.lowercased()
        guard let found = Self.allCases.first(where: { $0.name == wanted }) else { return nil }
        self = found
    }

    /// The codec of that name, in upper or lower case.
    /// - Throws: `unknownCodec`, which lists those there are.
    public init(named name: String) throws(CodecError) {
        guard let found = Codec(name) else { throw .unknownCodec(name) }
        self = found
    }

    /// The names of all codecs, as messages and help list them.
    public static var names: String { allCases.map(\.name).joined(separator: ", ") }
}
