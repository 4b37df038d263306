import AudioDevices
import CAudit
import RenderAudit
import Testing

extension ALSADeviceTests {
    @Test(
        "The render threads of a 10 s call over ALSA allocate, free and lock nothing",
        .enabled(if: audit_available(), "a sanitizer brings its own malloc"), arguments: [10.0, 20])
    func aCallKeepsTheRenderContract(period: Double) async throws {
        let server = try PulseServer()
        try await server.start()
        let call = try AuditedLiveCall(seconds: 10, period: period) { side, _ in
            side == 0
                ? ALSADevice(capture: "pulse:mic.monitor", playback: "pulse:out")
                : ALSADevice(capture: "pulse:out.monitor", playback: "pulse:mic")
        }
        withExtendedLifetime(server) {
            #expect(call.book.complaints(scopes: 200) == [])
            #expect(call.packetsReceived.allSatisfy { $0 > 200 }, "\(call.packetsReceived)")
        }
    }
}
