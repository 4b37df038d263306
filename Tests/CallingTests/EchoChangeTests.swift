import Calling
import Reporting
import Testing

private func figures(_ converged: Bool?) -> EchoFigures {
    var figures = EchoFigures()
    figures.converged = converged
    figures.erleDecibels = 20
    return figures
}

@Suite("Changes of echo control") struct EchoChangeTests {
    @Test("finding and losing the room are told once each, with the figures of that moment")
    func changes() {
        var change = EchoChange()
        let looks: [Bool?] = [false, true, true, nil, true, false, false, true]
        let told = looks.map { change.observe(figures($0))?.converged }
        #expect(told == [nil, true, nil, nil, nil, false, nil, true])
        #expect(change.observe(figures(false)) == figures(false))
    }

    @Test("a call without echo control tells nothing")
    func without() {
        var change = EchoChange()
        #expect(change.observe(nil) == nil)
    }
}
