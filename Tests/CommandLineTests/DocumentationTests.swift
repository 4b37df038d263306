import Foundation
import Metrics
import Reporting
import Settings
import Testing

private func commandsPage() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("docs/commands.md"), encoding: .utf8)
}

@Test("Every figure, flag and event of the program is in docs/commands.md") func documented() throws {
    let page = try commandsPage()
    for path in CallStatistics.comparablePaths.map(\.path) + LoopbackReport.ownPaths.map(\.path) {
        for name in path.split(separator: ".") { #expect(page.contains("`\(name)`"), "\(path)") }
    }
    for path in ProcessReport.comparablePaths.map(\.path) {
        for name in path.split(separator: ".") { #expect(page.contains("`\(name)`"), "\(path)") }
    }
    for key in YodelKeys.all {
        let flag = key.shape == .toggle ? key.flag.replacingOccurrences(of: "--", with: "--no-") : key.flag
        #expect(page.contains("`\(flag)`"), "\(flag)")
    }
}
