import AudioUnits
import Realtime
import Synchronization
import Testing

@Suite("What a unit lets go of") struct LeavingTests {
    @Test("may call the unit as it ends: observers and callbacks that are disposed of, or replaced")
    func units() throws {
        let ended = Endings()
        let effect = GainUnit(0.5)
        try effect.addRenderObserver(UnitAsker(effect, ended).observer)
        try effect.initialize()
        effect.dispose()
        #expect(ended.count.load(ordering: .relaxed) == 1)

        let generic = GenericOutput()
        try generic.setRenderCallback(UnitAsker(generic, ended).callback)
        try generic.setRenderCallback(nil)
        #expect(ended.count.load(ordering: .relaxed) == 2)
        try generic.setRenderCallback(UnitAsker(generic, ended).callback)
        try generic.addRenderObserver(UnitAsker(generic, ended).observer)
        generic.dispose()
        #expect(ended.count.load(ordering: .relaxed) == 4)

        let hardware = RemoteIO(device: ManualDevice())
        try hardware.setRenderCallback(UnitAsker(hardware, ended).callback)
        try hardware.setRenderCallback(nil)
        #expect(ended.count.load(ordering: .relaxed) == 5)
        try hardware.setRenderCallback(UnitAsker(hardware, ended).callback)
        hardware.dispose()
        #expect(ended.count.load(ordering: .relaxed) == 6)
    }
}

/// How many of a test's objects have ended.
final class Endings: Sendable {
    let count = Atomic<Int>(0)
}

/// Asks a unit as it ends.
private final class UnitAsker: Sendable {
    private let unit: any AudioUnit
    private let endings: Endings

    init(_ unit: any AudioUnit, _ endings: Endings) { (self.unit, self.endings) = (unit, endings) }

    deinit {
        _ = unit.state
        endings.count.add(1, ordering: .relaxed)
    }

    var callback: RenderCallback { RenderCallback { [self] _ in withExtendedLifetime(self) {} } }
    var observer: RenderObserver { RenderObserver { [self] _, _ in withExtendedLifetime(self) {} } }
}
