import Testing

@Suite("Shape of the sources") struct SourceShapeTests {
    @Test("no source file is longer than 500 lines, and half of them have at most 120")
    func fileLengths() throws {
        let files =
            try Repository.files(in: "Sources", endingIn: [".swift", ".h", ".c"])
            + Repository.files(in: "Tests", endingIn: [".swift", ".h", ".c"])
        for file in files { #expect(file.lines.count <= 500, "\(file.path) has \(file.lines.count) lines") }
        let lengths = files.filter { $0.path.hasPrefix("Sources/") }.map(\.lines.count).sorted()
        try #require(lengths.count > 20)
        #expect(lengths[lengths.count / 2] <= 120)
    }

    @Test("the command line holds arguments and printing only: under 2,000 lines")
    func commandLineIsThin() throws {
        let files = try Repository.files(in: "Sources/yodel", endingIn: [".swift"])
        try #require(files.count > 10)
        let lines = files.map(\.lines.count).reduce(0, +)
        #expect(lines < 2000, "Sources/yodel has \(lines) lines: what is no argument and no printing belongs in a library")
    }

    @Test("no file names a place of the machine it was written on")
    func noMachinePaths() throws {
        // Put together here, so that this file passes its own test.
        let places = ["home", "work", "Users"].map { "/" + $0 + "/" }
        let folders = ["Sources", "Tests", "scripts", "config", "docker", "docs"]
        let files = try folders.flatMap { try Repository.files(in: $0) }
        try #require(files.count > 40)
        for file in files {
            for (number, line) in file.lines.enumerated() {
                for place in places where line.contains(place) {
                    // A path inside a container image is no place of a machine.
                    let inImage = file.path.hasPrefix("docker/") || line.contains("://")
                    #expect(inImage, "\(file.path):\(number + 1) names \(place)")
                }
            }
        }
    }

    @Test("placeholders have gone from the sources")
    func noPlaceholders() throws {
        for file in try Repository.files(in: "Sources", endingIn: [".swift", ".h", ".c"]) {
            #expect(file.name != "Placeholder.swift", "\(file.path)")
            let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
            for (number, line) in file.lines.enumerated() {
                #expect(!words.contains { line.contains($0) }, "\(file.path):\(number + 1)")
            }
        }
    }
}
