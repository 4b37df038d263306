import CAudit
import Codecs
import LiveMedia
import Load
import Testing

/// Many calls at a port in virtual time, with every allocation and lock of its turns counted.
@Suite("Many calls that go on", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct SteadyStateTests {
    struct Setup: CustomTestStringConvertible, Sendable {
        var codec = Codec.pcmu
        var sound = PortSound.echo
        var jitter = 0.0
        var loss = 0.0

        var testDescription: String { "\(codec.name), \(sound), jitter \(jitter) ms, loss \(loss)" }
    }

    @Test(
        "allocate nothing, free nothing and lock nothing for a packet",
        arguments: [
            Setup(), Setup(jitter: 30, loss: 0.03), Setup(codec: .g722), Setup(codec: .opus, jitter: 20, loss: 0.02),
            Setup(sound: .conference), Setup(codec: .opus, sound: .conference), Setup(sound: .announcement),
        ])
    func nothing(setup: Setup) throws {
        var work = VirtualPort.Work(codec: setup.codec, calls: setup.codec == .opus ? 6 : 40)
        work.sound = setup.sound
        (work.jitterMilliseconds, work.loss) = (setup.jitter, setup.loss)
        let port = try VirtualPort(work)
        // All are there, and have been told.
        port.run(milliseconds: 3000)
        #expect(port.takeEvents().contains { if case .began = $0.body { true } else { false } })
        #expect(port.figures.calls == work.calls)
        var (counts, counted, turns) = (audit_counts(), 0, 0)
        port.run(milliseconds: 5000) { turn in
            let reports = port.reportsSent
            audit_begin()
            turn()
            let found = audit_end()
            turns += 1
            // A report every few seconds is not a packet's matter.
            guard port.reportsSent == reports else { return }
            counted += 1
            counts.allocations += found.allocations
            counts.frees += found.frees
            counts.locks += found.locks
        }
        // In each slot of 5 ms that somebody has: of a conference one of four, of so few calls in Opus as their turns lie.
        let slots = setup.sound == .conference ? 249...251 : setup.codec == .opus ? 499...1001 : 999...1001
        #expect(slots.contains(turns) && counted > turns * 4 / 5, "\(turns) turns")
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts) in \(counted) turns")
        // Everybody was heard and spoken to: 400 packets in 8 s.
        #expect(port.fewestHeard > 370, "\(port.fewestHeard)")
        #expect(port.packetsReceived > work.calls * 370)
    }
}
