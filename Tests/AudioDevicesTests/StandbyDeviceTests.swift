import AudioDevices
import AudioFiles
import AudioUnits
import Foundation
import Realtime
import TestSignals
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

    /// A microphone that hears a ramp, standing by until 100 ms, taken over, and 10 ms longer.
    private func handed(since moment: HostTime?) throws -> CallbackProbe.Log {
        let folder = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let writer = try AudioFileWriter(path: folder + "/in.wav", sampleRate: 16_000)
        try writer.write((0..<2_000).map { Float($0) / 2_000 })
        writer.finish()
        let inner = VirtualDevice(
            .file(capture: folder + "/in.wav", playback: nil, loop: false), options: DeviceOptions(clock: .manual, seed: 1))
        let device = StandbyDevice(inner)
        try device.standBy(request)
        inner.advance(frames: 1600, now: HostTime(milliseconds: 100))
        if let moment { device.giveBack(since: moment) }
        let probe = CallbackProbe()
        _ = try device.open(request)
        try device.start(probe.callbacks)
        inner.advance(frames: 160, now: HostTime(milliseconds: 110))
        device.close()
        return probe.contents
    }

    @Test("what the microphone heard since the answer comes first, whole, in order and with its times; nothing of before")
    func givenBack() throws {
        let nothing = try handed(since: nil)
        #expect(nothing.captured.count == 160 && nothing.captureTimes.count == 1)
        let log = try handed(since: HostTime(milliseconds: 63))
        let first = try #require(log.captureTimes.first)
        #expect(abs(first.hostTime.milliseconds(since: .zero) - 62) < 0.1, "a millisecond before it was asked for")
        #expect(log.captured.count == 160 + 38 * 16)
        let steps = zip(log.captured, log.captured.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - 1.0 / 2_000) < 1e-4 }, "a sample is missing or out of place")
        for (index, time) in log.captureTimes.enumerated() {
            let before = log.captureBlocks.prefix(index).reduce(0, +)
            #expect(time.sampleTime == first.sampleTime + Int64(before))
            #expect(abs(time.hostTime.milliseconds(since: first.hostTime) - Double(before) / 16) < 0.1)
        }
        #expect(log.captureBlocks.allSatisfy { $0 <= 162 }, "longer than the device promised")
    }

    @Test("a moment to come gives nothing back; one long ago what there is, a quarter of a second at most")
    func bounds() throws {
        #expect(try handed(since: HostTime(milliseconds: 500)).captured.count == 160)
        #expect(try handed(since: .zero).captured.count == 160 + 1600)
        let inner = virtual()
        let device = StandbyDevice(inner)
        try device.standBy(request)
        inner.advance(frames: 16_000, now: HostTime(milliseconds: 1000))
        device.giveBack(since: .zero)
        let probe = CallbackProbe()
        _ = try device.open(request)
        try device.start(probe.callbacks)
        inner.advance(frames: 320, now: HostTime(milliseconds: 1020))
        #expect(probe.contents.captured.count == 320 + 4000)
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
