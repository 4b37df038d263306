import AudioUnits
import Media
import Metrics
import Reporting
import Testing

@Suite("The device's share of the delay ledger") struct DeviceDelayTests {
    private var unit: UnitLatency {
        var unit = UnitLatency()
        unit.captureDevice = 12
        unit.processing = 10
        unit.captureConversion = 1
        unit.playbackConversion = 2
        unit.playbackDevice = 25
        return unit
    }

    @Test("knows nothing before there was audio, and says so")
    func unknown() {
        let delay = DeviceDelay()
        var ledger = DelayLedgerFigures()
        delay.fill(&ledger)
        #expect(delay.sendMilliseconds == nil && delay.receiveMilliseconds == nil)
        #expect(ledger.capture == nil && ledger.framer == nil && ledger.ring == nil)
        #expect(ledger.playback == nil && ledger.playoutRing == nil)
    }

    @Test("is split into stages whose sum is the measured whole")
    func stages() throws {
        var delay = DeviceDelay()
        for _ in 0..<100 {
            delay.observeCapture(ageMilliseconds: 40, frameMilliseconds: 20, blockMilliseconds: 10, unit: unit)
            delay.observePlayout(waitMilliseconds: 33, unit: unit)
        }
        var ledger = DelayLedgerFigures()
        delay.fill(&ledger)
        // 12 ms of the device less the block that the frame's own length already covers.
        #expect(ledger.capture == 2 && ledger.framer == 20 && ledger.voiceProcessing == 10)
        #expect(abs(try #require(ledger.ring) - 7) < 1e-9)
        #expect(ledger.playback == 25 && ledger.conversion == 3)
        #expect(abs(try #require(ledger.playoutRing) - 6) < 1e-9)
        let send = [ledger.capture, ledger.framer, ledger.voiceProcessing, ledger.ring].compactMap { $0 }.reduce(1, +)
        #expect(abs(send - (try #require(delay.sendMilliseconds))) < 1e-9)
        let receive = [ledger.playback, ledger.playoutRing].compactMap { $0 }.reduce(2, +)
        #expect(abs(receive - (try #require(delay.receiveMilliseconds))) < 1e-9)
    }

    @Test("has no negative stage, whatever the device claims")
    func claims() {
        var delay = DeviceDelay()
        delay.observeCapture(ageMilliseconds: 5, frameMilliseconds: 20, blockMilliseconds: 10, unit: unit)
        delay.observePlayout(waitMilliseconds: 1, unit: unit)
        var ledger = DelayLedgerFigures()
        delay.fill(&ledger)
        #expect(ledger.ring == 0 && ledger.playoutRing == 0)
    }

    @Test("counts what waited for the machine as it is otherwise, and what is older than that by the rest")
    func heldUp() throws {
        var delay = DeviceDelay()
        for _ in 0..<100 { delay.observeCapture(ageMilliseconds: 26, frameMilliseconds: 20, blockMilliseconds: 10, unit: unit) }
        for age in stride(from: 326.0, to: 26, by: -20) {
            delay.observeCapture(
                ageMilliseconds: age, frameMilliseconds: 20, blockMilliseconds: 10, heldUpMilliseconds: age, unit: unit)
        }
        #expect(abs(try #require(delay.sendMilliseconds) - 26) < 1e-9)
        for _ in 0..<500 {
            delay.observeCapture(
                ageMilliseconds: 66, frameMilliseconds: 20, blockMilliseconds: 10, heldUpMilliseconds: 10, unit: unit)
        }
        #expect(abs(try #require(delay.sendMilliseconds) - 56) < 1)
    }

    @Test("follows a change within about a second")
    func follows() throws {
        var delay = DeviceDelay()
        for _ in 0..<500 { delay.observePlayout(waitMilliseconds: 20, unit: unit) }
        for _ in 0..<200 { delay.observePlayout(waitMilliseconds: 60, unit: unit) }
        #expect(abs(try #require(delay.receiveMilliseconds) - 60) < 1.5)
    }
}
