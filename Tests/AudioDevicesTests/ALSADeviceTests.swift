import AudioDevices
import AudioUnits
import Foundation
import TestSignals
import Testing

/// Against a real sound server; one at a time, since the server is found through the environment.
@Suite(.serialized, .enabled(if: PulseServer.isWanted)) struct ALSADeviceTests {
    private func request(period: Double = 10, rate: Double = 48_000) -> DeviceRequest {
        var request = DeviceRequest(capture: true, playback: true)
        request.sampleRate = rate
        request.periodMilliseconds = period
        request.realtimePriority = 3
        return request
    }

    /// Ways to the same server, with a period for which each direction has a thread, and ones for which they share one.
    private static let ways = [(ServerDevice.alsa, 10.0), (.alsa, 20), (.pulse, 5)]

    /// Plays into a null sink and captures its monitor.
    private func loop(_ kind: ServerDevice = .alsa) -> any HardwareDevice {
        kind.device(capture: "out.monitor", playback: "out")
    }

    @Test(arguments: [
        (ServerDevice.alsa, 5.0, 48_000.0), (.alsa, 10, 44_100), (.alsa, 20, 16_000), (.alsa, 20, 8_000), (.pulse, 5, 48_000),
        (.pulse, 10, 44_100), (.pulse, 20, 16_000),
    ])
    func whatIsPlayedIsHeardOnTheMonitor(kind: ServerDevice, period: Double, rate: Double) async throws {
        let server = try PulseServer()
        try await server.start()
        let device = loop(kind)
        let probe = CallbackProbe(voice: tone(700, rate: rate))
        let grant = try device.open(request(period: period, rate: rate))
        #expect(grant.capture?.sampleRate == rate && grant.playback?.sampleRate == rate)
        let began = ContinuousClock.now
        try device.start(probe.callbacks)
        try await Task.sleep(for: .seconds(2.5))
        let status = device.status
        device.stop()
        let elapsed = (ContinuousClock.now - began) / .seconds(1)
        let log = probe.contents
        // an underrun on a loaded machine breaks the phase of one piece, not of all
        let piece = Int(rate / 5)
        let pieces = stride(from: log.captured.count / 2, to: log.captured.count - piece, by: piece).map {
            tonePart(log.captured[$0..<$0 + piece], frequency: 700, rate: rate)
        }
        #expect((pieces.max() ?? 0) > 0.99, "\(pieces)")
        #expect(log.captureBlocks.allSatisfy { $0 <= grant.capture!.maximumFrames })
        #expect(log.playbackBlocks.allSatisfy { $0 <= grant.playback!.maximumFrames })
        #expect(
            log.threads.count == (kind == .alsa && period < 15 ? 2 : 1),
            "of ALSA's, long periods of both directions share a thread")
        #expect(status.isPresent && status.playbackTargetMilliseconds ?? 0 >= 10)
        #expect(status.playbackLatencyMilliseconds ?? 1000 < 300)
        // the pace is the sound server's
        let seconds = Double(log.played) / rate
        #expect(seconds < elapsed + 0.7, "never ahead of it by more than its buffer: \(elapsed) s, \(status)")
        #expect(seconds > Double(log.captured.count) / rate / 2, "nor behind what it captures: \(status)")
        for (time, next) in zip(log.captureTimes, log.captureTimes.dropFirst()) {
            #expect(next.sampleTime > time.sampleTime)
        }
        withExtendedLifetime(server) { device.close() }
    }

    @Test(arguments: ways) func aKilledServerIsLostSilenceGoesOnAndItComesBack(kind: ServerDevice, period: Double) async throws
    {
        let server = try PulseServer()
        try await server.start()
        let device = loop(kind)
        let events = EventLog()
        device.setEventHandler { events.add($0) }
        let probe = CallbackProbe(voice: tone(700, rate: 48_000))
        _ = try device.open(request(period: period))
        try device.start(probe.callbacks)
        try await Task.sleep(for: .seconds(1))
        server.kill()
        #expect(await events.wait { if case .lost = $0 { true } else { false } })
        let before = probe.contents
        #expect(await eventually { probe.contents.played - before.played > 24_000 }, "playback is consumed while lost")
        #expect(
            await eventually { probe.contents.captured.count - before.captured.count > 24_000 },
            "silence is captured while lost")
        let during = probe.contents
        #expect(during.captured.suffix(4_800).allSatisfy { $0 == 0 })
        #expect(!device.status.isPresent)
        try await server.start()
        #expect(await events.wait { if case .back = $0 { true } else { false } })
        #expect(device.status.isPresent && device.status.reopenCount == 1)
        try await Task.sleep(for: .seconds(3))
        let heard = probe.contents.captured.suffix(48_000)
        let best = stride(from: heard.startIndex, to: heard.endIndex - 9_600, by: 9_600).map {
            tonePart(heard[$0..<$0 + 9_600], frequency: 700, rate: 48_000)
        }.max()
        #expect((best ?? 0) > 0.99, "the tone is heard again")
        device.close()
    }

    @Test(arguments: ways) func stopIsBoundedEvenWhenTheServerHangs(kind: ServerDevice, period: Double) async throws {
        let server = try PulseServer()
        try await server.start()
        let device = loop(kind)
        let probe = CallbackProbe()
        _ = try device.open(request(period: period))
        try device.start(probe.callbacks)
        try await Task.sleep(for: .milliseconds(500))
        server.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(1500))
        let began = ContinuousClock.now
        device.stop()
        #expect(ContinuousClock.now - began < patience, "the server never answers; stop does not wait for it")
        let played = probe.contents.played
        try await Task.sleep(for: .milliseconds(100))
        #expect(probe.contents.played == played, "no callback after stop")
        server.signal(SIGCONT)
        device.stop()
        device.close()
    }

    @Test(arguments: ways) func aStoppedDeviceStartsAgain(kind: ServerDevice, period: Double) async throws {
        let server = try PulseServer()
        try await server.start()
        let device = loop(kind)
        let probe = CallbackProbe()
        _ = try device.open(request(period: period))
        for _ in 0..<5 {
            let before = probe.contents.played
            try device.start(probe.callbacks)
            #expect(await eventually { probe.contents.played > before })
            device.stop()
        }
        withExtendedLifetime(server) { device.close() }
    }

    /// What it opens anew then may be another card, which the unit's path does not fit.
    @Test func aDeviceThatWasStoppedWhileItWasLostTellsItsFormatsWhenItStarts() async throws {
        let server = try PulseServer()
        try await server.start()
        let device = loop()
        let events = EventLog()
        device.setEventHandler { events.add($0) }
        let probe = CallbackProbe()
        let grant = try device.open(request())
        try device.start(probe.callbacks)
        server.kill()
        #expect(await events.wait { if case .lost = $0 { true } else { false } })
        device.stop()
        try await server.start()
        let before = probe.contents
        try device.start(probe.callbacks)
        let told = Array(probe.contents.formats.dropFirst(before.formats.count))
        #expect(told == [grant.capture, grant.playback].compactMap { $0 })
        #expect(await eventually { probe.contents.played > before.played })
        withExtendedLifetime(server) { device.close() }
    }

    @Test(arguments: ServerDevice.allCases)
    func aDigitallySilentMicrophoneIsToldAndSoundTakesItBack(kind: ServerDevice) async throws {
        let server = try PulseServer()
        try await server.start()
        let microphone = kind.device(capture: "mic.monitor", playback: "out")
        let events = EventLog()
        microphone.setEventHandler { events.add($0) }
        let probe = CallbackProbe()
        var only = request()
        only.playback = false
        _ = try microphone.open(only)
        try microphone.start(probe.callbacks)
        #expect(await events.wait { $0 == .microphoneSilent })
        let speaker = kind.device(capture: "mic.monitor", playback: "mic")
        var talk = request()
        talk.capture = false
        let voice = CallbackProbe(voice: tone(700, rate: 48_000))
        _ = try speaker.open(talk)
        try speaker.start(voice.callbacks)
        #expect(await events.wait { $0 == .microphoneHeard })
        speaker.close()
        withExtendedLifetime(server) { microphone.close() }
    }

    @Test func unknownNamesAndMissingServersAreToldApart() async throws {
        let server = try PulseServer()
        #expect {
            _ = try loop().open(request())
        } throws: {
            if case .hostMissing? = $0 as? DeviceError { true } else { false }
        }
        try await server.start()
        for name in ["pulse:nosuchsink", "nosuchpcm"] {
            #expect(throws: DeviceError.notFound(device: name)) {
                _ = try ALSADevice(capture: name, playback: name).open(request())
            }
        }
        let pulse = listDevices().first { $0.name == "alsa:pulse" }
        #expect(pulse?.opens == true)
        server.kill()
        let dead = listDevices().first { $0.name == "alsa:pulse" }
        #expect(dead?.opens == false)
        #expect(dead?.remedy?.contains("sound server") == true)
    }
}
