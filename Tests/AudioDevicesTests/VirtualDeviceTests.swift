import AudioDevices
import AudioFiles
import AudioUnits
import Foundation
import Glibc
import Realtime
import TestSignals
import Testing

@Suite struct VirtualDeviceTests {
    private func request(rate: Double = 16_000, period: Double = 10) -> DeviceRequest {
        var request = DeviceRequest(capture: true, playback: true)
        request.sampleRate = rate
        request.periodMilliseconds = period
        return request
    }

    private func manual(_ name: String, seed: UInt64 = 1) throws -> VirtualDevice {
        VirtualDevice(try DeviceSpecification(parsing: name), options: DeviceOptions(clock: .manual, seed: seed))
    }

    @Test func virtualTimeIsExact() throws {
        let device = try manual("null")
        let probe = CallbackProbe()
        let grant = try device.open(request())
        #expect(grant.capture?.periodFrames == 160)
        try device.start(probe.callbacks)
        var now = HostTime.zero
        // odd steps: 1000 x 93 frames are 581 whole periods and a rest
        for _ in 0..<1000 {
            now = now.advanced(byMilliseconds: 93.0 / 16)
            device.advance(frames: 93, now: now)
        }
        device.stop()
        let log = probe.contents
        #expect(log.captured.count == 581 * 160 && log.played == 581 * 160)
        #expect(log.captured.allSatisfy { $0 == 0 })
        for (index, time) in log.captureTimes.enumerated() {
            #expect(time.sampleTime == Int64(index * 160))
            #expect(abs(time.hostTime.milliseconds(since: .zero) - Double(index) * 10) < 0.01)
        }
        for (index, time) in log.playbackTimes.enumerated() {
            #expect(abs(time.hostTime.milliseconds(since: .zero) - Double(index + 1) * 10) < 0.01)
        }
        device.advance(frames: 1600, now: now)
        #expect(probe.contents.played == 581 * 160, "nothing happens after stop")
    }

    @Test func theRoomAnswersWithoutDelayOfItsOwn() throws {
        let device = try manual("room:small")
        let probe = CallbackProbe { $0 == 0 ? 1 : 0 }
        _ = try device.open(request())
        try device.start(probe.callbacks)
        device.advance(frames: 16_000, now: HostTime(milliseconds: 1000))
        let heard = probe.contents.captured
        // the first block is asked for at the end of the first period and heard during the second
        let response = RoomResponse.samples(.small, sampleRate: 16_000, seed: 1)
        #expect(heard[..<160].allSatisfy { $0 == 0 })
        for index in 0..<1000 { #expect(abs(heard[160 + index] - response[index]) < 1e-5) }
    }

    @Test func theSameSeedGivesTheSameRoomAndAnotherDoesNot() throws {
        func heard(seed: UInt64) throws -> [Float] {
            let device = try manual("room:office,noise=-50,drift=80", seed: seed)
            let probe = CallbackProbe(voice: tone(300, rate: 16_000))
            _ = try device.open(request())
            try device.start(probe.callbacks)
            device.advance(frames: 32_000, now: HostTime(milliseconds: 2000))
            return probe.contents.captured
        }
        #expect(try heard(seed: 5) == heard(seed: 5))
        #expect(try heard(seed: 5) != heard(seed: 6))
    }

    @Test func aDriftingRoomAsksForFramesAtTheLoudspeakersPace() throws {
        let device = try manual("room:small,drift=500")
        let probe = CallbackProbe()
        let grant = try device.open(request())
        try device.start(probe.callbacks)
        device.advance(frames: 16_000 * 60, now: HostTime(milliseconds: 60_000))
        let log = probe.contents
        let measured = (Double(log.captured.count) / Double(log.played) - 1) * 1e6
        #expect(abs(measured - 500) < 5)
        #expect(log.playbackBlocks.allSatisfy { $0 <= grant.playback!.maximumFrames })
    }

    @Test func aFileIsPlayedOnceOrLoopedAndTheLoudspeakerIsRecorded() throws {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let input = directory + "/in.wav"
        let writer = try AudioFileWriter(path: input, sampleRate: 16_000)
        try writer.write([Float](repeating: 0.5, count: 8_000))
        writer.finish()
        for (name, heard) in [("file:\(input),to=\(directory)/out.wav", 8_000), ("file:\(input),loop", 16_000)] {
            let device = try manual(name)
            let probe = CallbackProbe(voice: tone(500, rate: 16_000))
            _ = try device.open(request())
            try device.start(probe.callbacks)
            device.advance(frames: 16_000, now: HostTime(milliseconds: 1000))
            device.close()
            #expect(probe.contents.captured.count { $0 != 0 } == heard)
        }
        let recorded = try AudioFileReader.samples(path: directory + "/out.wav")
        #expect(recorded.count == 16_000)
        #expect(tonePart(recorded, frequency: 500, rate: 16_000) > 0.999)
    }

    @Test func filesThatAreNotThereAreRefusedAtOpen() throws {
        for name in ["file:/nonexistent/x.wav", "room:/nonexistent/rir.wav", "room:small,near=/nonexistent/x.wav"] {
            #expect(throws: DeviceError.self) { _ = try manual(name).open(request()) }
        }
    }

    @Test func aFullDiskIsToldOnceAndTheDeviceGoesOn() throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        let device = try manual("file:,to=/dev/full")
        let probe = CallbackProbe(voice: tone(500, rate: 16_000))
        let lost = EventLog()
        device.setEventHandler { lost.add($0) }
        do {
            _ = try device.open(request())
        } catch {
            guard case .file = error else {
                Issue.record("unexpected \(error)")
                return
            }
            return  // refused at once: as good
        }
        try device.start(probe.callbacks)
        device.advance(frames: 16_000 * 20, now: HostTime(milliseconds: 20_000))
        #expect(lost.all.count == 1)
        #expect(probe.contents.played == 16_000 * 20)
    }

    @Test func aClockOfItsOwnKeepsThePaceUntilItIsStopped() async throws {
        let device = VirtualDevice(.null)
        let probe = CallbackProbe()
        _ = try device.open(request(period: 5))
        let started = ContinuousClock.now
        try device.start(probe.callbacks)
        try device.start(probe.callbacks)  // a second start changes nothing
        #expect(await eventually { probe.contents.played > 3200 })
        device.stop()
        device.stop()
        let due = (ContinuousClock.now - started) / .seconds(1) * 16_000
        let played = probe.contents.played
        #expect(Double(played) <= due + 160, "never ahead by more than a block")
        try await Task.sleep(for: .milliseconds(50))
        #expect(probe.contents.played == played, "no callback after stop")
    }

    @Test func orderOfCallsIsChecked() throws {
        let device = try manual("null")
        #expect(throws: DeviceError.self) { try device.start(CallbackProbe().callbacks) }
        device.stop()
        device.close()
        _ = try device.open(request())
        device.close()
        #expect(throws: DeviceError.self) { try device.start(CallbackProbe().callbacks) }
    }
}
