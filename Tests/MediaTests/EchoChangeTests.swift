import LiveMedia
import Metrics
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

    @Test("an echo that moved, no echo path, audible echo and an overdriven microphone are told once each")
    func conditions() {
        var change = EchoChange()
        var latest = figures(true)
        #expect(change.observe(latest) != nil)
        for set in [
            { (echo: inout EchoFigures) in echo.realignCount = 1 }, { $0.noEchoPath = true }, { $0.echoAudible = true },
            { $0.microphoneClipping = true },
        ] {
            set(&latest)
            #expect(change.observe(latest) == latest)
            #expect(change.observe(latest) == nil)
        }
        latest.doubleTalk = true
        latest.referenceSilent = true
        #expect(change.observe(latest) == nil)
    }

    @Test("a call without echo control tells nothing")
    func without() {
        var change = EchoChange()
        #expect(change.observe(nil) == nil)
    }
}

@Suite("Warnings of echo control") struct EchoWarningsTests {
    @Test("echo that the other side hears, and an overdriven microphone, are warned of each time they come")
    func warnings() {
        var warnings = EchoWarnings()
        var figures = EchoFigures()
        #expect(warnings.observe(figures).isEmpty)
        figures.echoAudible = true
        #expect(warnings.observe(figures).count == 1)
        #expect(warnings.observe(figures).isEmpty)
        figures.microphoneClipping = true
        #expect(warnings.observe(figures).first?.contains("overdriven") == true)
        figures.echoAudible = false
        #expect(warnings.observe(figures).isEmpty)
        figures.echoAudible = true
        #expect(warnings.observe(figures).first?.contains("hears its own voice") == true)
        #expect(warnings.observe(nil).isEmpty)
    }
}
