/// `a=group`: media lines that belong together (RFC 5888), such as `BUNDLE` (RFC 9143).
public struct GroupAttribute: Hashable, Sendable {
    public var semantics: String
    public var mediaIDs: [String]

    public init(semantics: String, mediaIDs: [String]) {
        self.semantics = semantics
        self.mediaIDs = mediaIDs
    }

    init?(value: ArraySlice<UInt8>) {
        let words = value.split(separator: .space)
        guard let semantics = words.first, words.allSatisfy(\.isToken) else { return nil }
        self.init(semantics: semantics.text, mediaIDs: words.dropFirst().map(\.text))
    }

    var text: String { ([semantics] + mediaIDs).joined(separator: " ") }
}
