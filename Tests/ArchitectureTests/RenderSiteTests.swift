import Testing

@Suite("Render contract in the sources") struct RenderSiteTests {
    @Test("the places where a person vouches for render code are the reviewed ones")
    func uncheckedSites() throws {
        let markers = ["_unsafePerformance", "no_performance_analysis", "swift_attr"]
        var sites = [String]()
        for file in try Repository.files(in: "Sources") {
            for line in file.lines where markers.contains(where: { line.contains($0) }) {
                sites.append("\(file.path): \(line.drop(while: \.isWhitespace))")
            }
        }
        let reviewed = try Repository.text("Tests/ArchitectureTests/Fixtures/unchecked-render-sites.txt")
            .split(separator: "\n").map(String.init)
        let added = sites.filter { !reviewed.contains($0) }
        let gone = reviewed.filter { !sites.contains($0) }
        #expect(added.isEmpty, "new sites; review them, then run scripts/list-unchecked-render-sites")
        #expect(gone.isEmpty, "sites that have gone; run scripts/list-unchecked-render-sites")
        #expect(sites.count == reviewed.count)
    }
}
