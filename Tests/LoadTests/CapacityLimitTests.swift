import LiveMedia
import Load
import Media
import Testing

@Suite("What keeps a machine from carrying more calls") struct CapacityLimitTests {
    /// A port with so much load, most of it for what is said.
    private func figures(load: Double, lateness99: Double? = nil) -> PortFigures {
        var figures = PortFigures()
        (figures.loop.load, figures.loop.lateness99) = (load, lateness99)
        figures.stages = [.hear: 0.2, .say: 0.5]
        return figures
    }

    private func limit(_ worst: PortFigures, last: PortFigures, isLoadValid: Bool = true) -> CapacityLimit {
        CapacityLimit(worst: worst, last: last, before: figures(load: 0), isLoadValid: isLoadValid)
    }

    @Test("is what was counted until the end, also after the second that had most work")
    func countedLater() {
        let worst = figures(load: 0.9)
        var last = figures(load: 0.3)
        #expect(limit(worst, last: last) == .processor(.say))
        last.refusals[.resources] = 1
        #expect(limit(worst, last: last) == .memory)
        last.sendFailures = 3
        #expect(limit(worst, last: last) == .socket)
        (last.sendFailures, last.kernelDrops) = (0, 1)
        #expect(limit(worst, last: last) == .socket)
    }

    @Test("is by load and lateness what the second with most work tells")
    func worstSecond() {
        let last = figures(load: 0.9, lateness99: 40)
        #expect(limit(figures(load: 0.5, lateness99: 12), last: last) == .scheduler)
        #expect(limit(figures(load: 0.5, lateness99: 12), last: last, isLoadValid: false) == .load)
        #expect(limit(figures(load: 0.8), last: last, isLoadValid: false) == .processor(.say))
    }
}
