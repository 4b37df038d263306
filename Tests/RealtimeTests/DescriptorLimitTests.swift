import Realtime
import Testing

@Suite("The limit on descriptors") struct DescriptorLimitTests {
    @Test("is raised as far as is wanted and allowed, and never lowered")
    func raise() {
        // Whoever else tests in this process may raise it meanwhile.
        let highest = DescriptorLimit.highest
        let first = DescriptorLimit.raise(to: 0)
        #expect(first > 0 && first <= highest)
        let second = DescriptorLimit.raise(to: first + 1)
        #expect(second >= min(first + 1, highest) && second <= highest)
        #expect(DescriptorLimit.raise(to: 1) >= second)
    }
}
