import AudioDevices
import AudioUnits
import Testing

@Suite struct PulseErrorTests {
    @Test func aServersCodesBecomeTheTaxonomy() {
        // PA_ERR_ACCESS, NOENTITY, CONNECTIONREFUSED, KILLED, NOTSUPPORTED, TOOLARGE, BUSY
        func opening(_ code: Int) -> DeviceError { PulseErrors.opening(code, "words", device: "pulse:x") }
        #expect(opening(1) == .permissionDenied(device: "pulse:x"))
        #expect(opening(5) == .notFound(device: "pulse:x"))
        #expect(opening(12) == .gone(device: "pulse:x"))
        #expect(opening(19) == .formatUnsupported(device: "pulse:x", reason: "words"))
        #expect(opening(18) == .noResources(reason: "words"))
        #expect(opening(26) == .busy(device: "pulse:x"))
        #expect(opening(999) == .streamBroken(device: "pulse:x", reason: "words"))
        func connecting(_ code: Int) -> DeviceError { PulseErrors.connecting(code, "words", device: "pulse:") }
        #expect(connecting(6) == .hostMissing(device: "pulse:", reason: "words"))
        #expect(connecting(1) == .permissionDenied(device: "pulse:"))
        #expect(connecting(-1) == .hostMissing(device: "pulse:", reason: "words"))
    }
}
