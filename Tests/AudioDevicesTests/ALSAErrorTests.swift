import AudioDevices
import AudioUnits
import Glibc
import Testing

@Suite struct ALSAErrorTests {
    @Test func errnoAndMessageBecomeTheTaxonomy() {
        func error(_ code: Int32, _ text: String = "") -> DeviceError {
            ALSAErrors.error(-code, text: text, device: "card")
        }
        #expect(error(EBUSY) == .busy(device: "card"))
        #expect(error(EACCES) == .permissionDenied(device: "card"))
        #expect(error(ENOENT, "Unknown PCM card") == .notFound(device: "card"))
        #expect(error(ENODEV) == .notFound(device: "card"))
        #expect(error(ENOMEM) == .noResources(reason: "Cannot allocate memory"))
        #expect(
            error(ECONNREFUSED, "PulseAudio: Unable to connect: Connection refused\n")
                == .hostMissing(device: "card", reason: "PulseAudio: Unable to connect: Connection refused"))
        #expect(error(EIO, "PulseAudio: Unable to create stream: No such entity") == .notFound(device: "card"))
        guard case .formatUnsupported = error(EINVAL), case .streamBroken = error(EFAULT) else {
            Issue.record("format or broken stream not told apart")
            return
        }
    }
}
