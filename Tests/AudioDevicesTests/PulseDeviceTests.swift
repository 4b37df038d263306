import AudioDevices
import AudioUnits
import Foundation
import TestSignals
import Testing

/// What only a client of the server's own interface does; in this suite because the server is found through the environment.
extension ALSADeviceTests {
    private func request() -> DeviceRequest {
        var request = DeviceRequest(capture: true, playback: true)
        request.realtimePriority = 3
        return request
    }

    @Test func oneConnectionHasBothDirectionsAndTheyAreClosedWithTheDevice() async throws {
        let server = try PulseServer()
        try await server.start()
        let before = server.pactl("list", "short", "clients").split(separator: "\n").count
        let device = PulseDevice(capture: "out.monitor", playback: "out")
        let grant = try device.open(request())
        #expect(grant.capture?.periodFrames == 240 && grant.playback?.periodFrames == 240, "5 ms unless asked for")
        let probe = CallbackProbe()
        try device.start(probe.callbacks)
        #expect(await eventually { probe.contents.played > 4800 && probe.contents.captured.count > 4800 })
        // pactl itself is one
        #expect(server.pactl("list", "short", "clients").split(separator: "\n").count == before + 1)
        device.close()
        #expect(await eventually { server.pactl("list", "short", "clients").split(separator: "\n").count == before })
    }

    @Test func aMicrophoneThatGoesIsReplacedByTheServersDefaultOneAndBothDirectionsGoOn() async throws {
        let server = try PulseServer()
        try await server.start()
        let module = server.pactl("load-module", "module-null-source", "source_name=plugged", "rate=48000", "channels=1")
        let device = PulseDevice(capture: "plugged", playback: "out")
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        #expect(await eventually { probe.contents.captured.count > 4800 })
        server.pactl("unload-module", module)
        let before = probe.contents
        #expect(await eventually { probe.contents.captured.count > before.captured.count + 24_000 })
        #expect(await eventually { probe.contents.played > before.played + 24_000 })
        #expect(device.status.isPresent && device.status.reopenCount == 0)
        withExtendedLifetime(server) { device.close() }
    }

    @Test func aStreamThatIsMovedPlaysOn() async throws {
        let server = try PulseServer()
        try await server.start()
        let device = PulseDevice(capture: "mic.monitor", playback: "out")
        let probe = CallbackProbe(voice: tone(700, rate: 48_000))
        _ = try device.open(request())
        try device.start(probe.callbacks)
        #expect(await eventually { probe.contents.captured.count > 9600 })
        #expect(probe.contents.captured.suffix(4800).allSatisfy { $0 == 0 })
        let inputs = server.pactl("list", "short", "sink-inputs").split(separator: "\n").filter { $0.contains("float32le") }
        // the loopbacks' are of 16 bits
        let stream = try #require(inputs.first?.split(separator: "\t").first)
        server.pactl("move-sink-input", String(stream), "mic")
        #expect(await eventually { probe.contents.captured.suffix(4800).contains { $0 != 0 } }, "it is heard where it went")
        #expect(device.status.isPresent)
        withExtendedLifetime(server) { device.close() }
    }

    @Test func whatIsNotThereIsToldApartAndWhatIsThereIsListed() async throws {
        let server = try PulseServer()
        let device = PulseDevice(capture: "", playback: "")
        #expect {
            _ = try device.open(request())
        } throws: {
            if case .hostMissing? = $0 as? DeviceError { true } else { false }
        }
        #expect(listDevices().first { $0.name == "pulse:" }?.opens == false)
        try await server.start()
        #expect(throws: DeviceError.notFound(device: "pulse:nosuchsink")) {
            _ = try PulseDevice(capture: "mic.monitor", playback: "nosuchsink").open(request())
        }
        #expect(throws: DeviceError.notFound(device: "pulse:nosuchsource")) {
            _ = try PulseDevice(capture: "nosuchsource", playback: "out").open(request())
        }
        let grant = try device.open(request())
        #expect(grant.capture?.channels == 1, "the server's default ones")
        device.close()
        let names = listDevices().filter(\.opens).map(\.name)
        #expect(["pulse:", "pulse:out", "pulse:mic.monitor", "pulse:hush"].allSatisfy(names.contains), "\(names)")
        withExtendedLifetime(server) {}
    }

    @Test func oneDirectionAloneWorksToo() async throws {
        let server = try PulseServer()
        try await server.start()
        var only = request()
        only.capture = false
        only.playbackChannels = 2
        let device = PulseDevice(capture: "nosuchsource", playback: "out")
        let grant = try device.open(only)
        #expect(grant.capture == nil && grant.playback?.channels == 2)
        let probe = CallbackProbe()
        try device.start(probe.callbacks)
        #expect(await eventually { probe.contents.played > 4800 })
        #expect(probe.contents.captured.isEmpty)
        withExtendedLifetime(server) { device.close() }
    }
}
