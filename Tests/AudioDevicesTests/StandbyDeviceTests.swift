import AudioDevices
import AudioUnits
import Realtime
import Testing

@Suite("A device that runs before anybody uses it") struct StandbyDeviceTests {
    private let request: DeviceRequest = {
        var request = DeviceRequest(capture: true, playback: true)
        request.sampleRate = 16_000
        return request
    }()

    private func virtual() -> VirtualDevice { VirtualDevice(.null, options: DeviceOptions(clock: .manual, seed: 1)) }

    @Test("is silent, and gives its very next block to the unit that asks for the same") func takenOver() throws {
        let inner = virtual()
        let device = StandbyDevice(inner)
        try device.standBy(request)
        inner.advance(frames: 1600, now: HostTime(milliseconds: 100))
        let probe = CallbackProbe()
        let grant = try device.open(request)
        #expect(grant.capture?.sampleRate == 16_000 && grant.playback?.sampleRate == 16_000)
        try device.start(probe.callbacks)
        inner.advance(frames: 160, now: HostTime(milliseconds: 110))
        let log = probe.contents
        #expect(log.captureBlocks == [160] && log.playbackBlocks == [160])
        #expect(
            log.captureTimes.first.map { $0.hostTime.milliseconds(since: .zero) } == 100, "captured before it was taken over")
        device.stop()
        inner.advance(frames: 1600, now: HostTime(milliseconds: 210))
        #expect(probe.contents.played == 160, "nothing happens after stop")
        device.close()
    }

    @Test("is opened anew for another request, and after its end") func openedAnew() throws {
        let inner = virtual()
        let device = StandbyDevice(inner)
        try device.standBy(request)
        var other = request
        other.sampleRate = 8_000
        for wanted in [other, request] {
            let probe = CallbackProbe()
            let grant = try device.open(wanted)
            #expect(grant.capture?.sampleRate == wanted.sampleRate)
            try device.start(probe.callbacks)
            inner.advance(frames: 800, now: HostTime(milliseconds: 500))
            #expect(probe.contents.played == 800)
            device.close()
        }
    }

    @Test("a refusal is told, and the device may be opened all the same") func refused() throws {
        let device = StandbyDevice(VirtualDevice(.file(capture: "/none/at/all.wav", playback: nil, loop: false)))
        #expect(throws: DeviceError.self) { try device.standBy(request) }
        #expect(throws: DeviceError.self) { try device.open(request) }
    }
}
