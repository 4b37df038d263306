import Codecs
import LiveMedia
import Load
import Testing

/// What the calls' own turns do to the delay at a port, in virtual time.
@Suite("Turns that lie where packets come") struct TurnPhaseTests {
    private func delays(jitter: Double, seconds: Int) throws -> (held: [Double], port: VirtualPort) {
        var work = VirtualPort.Work(codec: .pcmu, calls: 100)
        work.jitterMilliseconds = jitter
        let port = try VirtualPort(work)
        port.run(milliseconds: Double(1000 * seconds))
        return (port.bufferDelays, port)
    }

    @Test(
        "no call holds a whole packet more than its buffer asks for, with or without jitter on the line",
        arguments: [0.0, 2, 4, 8, 12, 20, 40])
    func close(jitter: Double) throws {
        let (held, port) = try delays(jitter: jitter, seconds: 30)
        let targets = port.bufferTargets
        #expect(held.count == 100 && targets.count == 100)
        // A turn lies in a slot of 5 ms, and has 1.5 ms to spare where it moved to an earlier one.
        let above = zip(held, targets).map(-)
        #expect((above.max() ?? .infinity) < 12 && (above.min() ?? 0) > -3, "\(above.sorted())")
        #expect(above.reduce(0, +) / 100 < 6, "\(above.sorted())")
    }

    @Test("each call has a packet every 20 ms on average while its turns move")
    func everyPacket() throws {
        let (_, port) = try delays(jitter: 12, seconds: 10)
        let heard = port.fewestHeard
        port.run(milliseconds: 10_000)
        #expect((497...503).contains(port.fewestHeard - heard), "\(port.fewestHeard - heard)")
    }
}
