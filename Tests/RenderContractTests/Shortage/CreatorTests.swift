import CAudit
import Testing

/// The libraries' caches are filled by the first try at each place; what is judged is the second.
@Suite("What C makes without memory", .serialized, .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct CreatorTests {
    /// Refuses the first request, then the second, and so on until the creator makes no more.
    private func refuse(_ creator: Creator, count: UInt64) {
        for _ in 0..<2 { #expect(creator.attempt(refusing: .max, count: 1).isMade, "with memory it is made") }
        var request: UInt64 = 1
        while true {
            _ = creator.attempt(refusing: request, count: count)
            let outcome = creator.attempt(refusing: request, count: count)
            #expect(outcome.kept == 0, "after request \(request) was refused")
            #expect(outcome.isMade == (outcome.failed == 0), "request \(request)")
            guard outcome.failed > 0 else { break }
            request += request < 64 ? 1 : creator.stride
        }
        #expect(request > 1, "it asks for something")
    }

    @Test("is refused wherever memory runs out, and nothing is left behind", arguments: Creator.all)
    func outOfMemory(creator: Creator) { refuse(creator, count: .max) }

    @Test("is refused also when a single request fails, and nothing is left behind", arguments: Creator.all.filter(\.needsAll))
    func oneRefusal(creator: Creator) { refuse(creator, count: 1) }
}
