import Codecs
import LiveMedia
import Load
import Testing

/// How often the loop of a port wakes up, in virtual time.
@Suite("A port's loop") struct PortWaitsTests {
    struct Setup: CustomTestStringConvertible, Sendable {
        let calls: Int
        let sound: PortSound
        let wakeups: Int

        var testDescription: String { "\(calls) calls, \(sound): \(wakeups) times a second" }
    }

    @Test(
        "wakes up where somebody has a turn, and nobody waits longer for it",
        arguments: [
            Setup(calls: 1, sound: .echo, wakeups: 50), Setup(calls: 50, sound: .conference, wakeups: 50),
            Setup(calls: 50, sound: .echo, wakeups: 200),
        ])
    func waits(setup: Setup) throws {
        var work = VirtualPort.Work(codec: .pcmu, calls: setup.calls)
        work.sound = setup.sound
        let port = try VirtualPort(work)
        port.run(milliseconds: 3000)
        let heard = port.fewestHeard
        var turns = 0
        port.run(milliseconds: 10_000) { turn in
            turns += 1
            turn()
        }
        #expect(abs(turns - 10 * setup.wakeups) <= 2 * setup.wakeups / 50, "\(turns)")
        #expect((499...501).contains(port.fewestHeard - heard) && port.figures.turnsLeftOut == 0)
        #expect(port.figures.loop.admits && (port.figures.loop.latenessMaximum ?? 1) == 0)
    }
}
