import AudioDevices
import AudioUnits
import Realtime
import Testing

@Suite("Graph under the hammer")
struct GraphHammerTests {
    @Test("random start, stop, connect, disconnect, parameter and removal from 8 threads: stop stays quick, nothing traps",
          arguments: [1, 2] as [UInt64])
    func hammer(seed: UInt64) async throws {
        let device = VirtualDevice(.null, options: DeviceOptions(clock: .realtime, seed: seed))
        let unit = RemoteIO(device: device)
        var request = DeviceRequest()
        request.periodMilliseconds = 2
        try unit.setDevicePreferences(request)
        let graph = AudioGraph(output: unit)
        let mixer = MultichannelMixer()
        mixer.isMetering = true
        try graph.connect(mixer, to: unit)
        try graph.initialize()
        let slowest = Lock(0.0)
        let done = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { @Sendable in
                    var noise = Noise(seed: seed &* 100 &+ UInt64(thread))
                    let own = FunctionUnit(rate: thread % 2 == 0 ? 48_000 : 16_000) { _, _ in 0.1 }
                    let gain = GainUnit(0.5)
                    let end = HostTime.monotonicNow().advanced(byMilliseconds: 1_500)
                    while HostTime.monotonicNow() < end {
                        // Refusals (taken, not connected) are part of the game; traps and hangs are not.
                        switch Int(abs(noise.next()) * 8) {
                        case 0: try? graph.start()
                        case 1:
                            let before = HostTime.monotonicNow()
                            graph.stop()
                            let taken = HostTime.monotonicNow().milliseconds(since: before)
                            slowest.withLock { $0 = max($0, taken) }
                        case 2: try? graph.connect(own, to: mixer, input: thread)
                        case 3:
                            try? graph.change { (changes) throws(AudioUnitError) in
                                try changes.disconnect(mixer, input: thread)
                                try changes.connect(own, to: gain)
                                try changes.connect(gain, to: mixer, input: thread)
                            }
                        case 4: try? graph.disconnect(mixer, input: Int(abs(noise.next()) * 8))
                        case 5: try? mixer.setVolume(abs(noise.next()), input: thread)
                        case 6: try? graph.remove(gain)
                        default: _ = try? mixer.level(input: thread)
                        }
                        done.withLock { $0 += 1 }
                    }
                }
            }
        }
        try graph.start()
        let before = mixer.statistics.outputFrames
        try await Task.sleep(for: .milliseconds(100))
        #expect(mixer.statistics.outputFrames > before, "seed \(seed)")
        graph.dispose()
        let longest = slowest.withLock { $0 }
        #expect(longest < 100, "stop took \(longest) ms, seed \(seed)")
        #expect(done.withLock { $0 } > 1_000)
    }
}
