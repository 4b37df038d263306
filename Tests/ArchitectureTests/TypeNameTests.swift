import Testing

@Suite("Names of types") struct TypeNameTests {
    @Test("no two modules declare a type of one name")
    func oneNameOneType() throws {
        var declared: [String: [(module: Substring, place: String)]] = [:]
        for file in try Repository.files(in: "Sources", endingIn: [".swift"]) {
            let module = file.path.split(separator: "/")[1]
            for (number, line) in file.lines.enumerated() {
                guard let name = Self.declaredType(line) else { continue }
                declared[name, default: []].append((module, "\(file.path):\(number + 1)"))
            }
        }
        try #require(declared["MediaStream"] != nil && declared.count > 500)
        for (name, types) in declared.sorted(by: { $0.key < $1.key }) {
            let modules = Set(types.map { $0.module })
            let places = types.map { $0.place }.joined(separator: " and ")
            #expect(modules.count == 1, "\(name) stands at \(places): share one, or rename one (docs/glossary.md)")
        }
    }

    @Test("types count that others see by their bare names: those within a type or private to a file do not")
    func whatCounts() {
        #expect(Self.declaredType("struct Route: Hashable {") == "Route")
        #expect(Self.declaredType("public indirect enum Tree {") == "Tree")
        #expect(Self.declaredType("open class Unit {") == "Unit")
        #expect(Self.declaredType("@frozen @available(*, deprecated) package final class Line<Value>: End {") == "Line")
        #expect(Self.declaredType("typealias Block = [Float]") == "Block")
        #expect(Self.declaredType("    public struct Stream: Sendable {") == nil)
        #expect(Self.declaredType("private final class NoLink: LinkEnd {") == nil)
        #expect(Self.declaredType("fileprivate struct Candidate {") == nil)
        #expect(Self.declaredType("extension Route {") == nil)
        #expect(Self.declaredType("/// struct Route") == nil)
    }

    /// The name of the type that a line declares for more than its file. Only what stands within nothing else begins its line
    /// without a space: the formatter sees to it.
    private static func declaredType(_ line: Substring) -> String? {
        guard let first = line.utf8.first, first == UInt8(ascii: "@") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return nil }
        let pattern =
            #/
            (?:@\w+(?:\([^)]*\))?\s)*
            (?:(?:open|public|package|internal|final|indirect|nonisolated)\s)*
            (?:struct|class|enum|actor|protocol|typealias)\s(\w+)
            /#
        return line.prefixMatch(of: pattern).map { String($0.1) }
    }
}
