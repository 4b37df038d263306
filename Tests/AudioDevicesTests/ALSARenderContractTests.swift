import AudioDevices
import CAudit
import RenderAudit
import Testing

extension ALSADeviceTests {
    @Test(
        "The render threads of a 10 s call over a sound server allocate, free and lock nothing",
        .enabled(if: audit_available(), "a sanitizer brings its own malloc"),
        arguments: [(ServerDevice.alsa, 10.0), (.alsa, 20), (.pulse, 5)])
    func aCallKeepsTheRenderContract(kind: ServerDevice, period: Double) async throws {
        let server = try PulseServer()
        try await server.start()
        let call = try AuditedLiveCall(seconds: 10, period: period) { side, _ in
            side == 0
                ? kind.device(capture: "mic.monitor", playback: "out") : kind.device(capture: "out.monitor", playback: "mic")
        }
        withExtendedLifetime(server) {
            #expect(call.book.complaints(scopes: 200) == [])
            #expect(call.packetsReceived.allSatisfy { $0 > 200 }, "\(call.packetsReceived)")
        }
    }
}
