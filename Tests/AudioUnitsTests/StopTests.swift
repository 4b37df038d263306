import AudioUnits
import Dispatch
import Glibc
import Realtime
import Synchronization
import Testing

/// A device with one thread of its own that turns as fast as it can, to meet control calls at every moment.
private final class BusyDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "busy"
    private let format = DeviceStreamFormat(sampleRate: 48_000, channels: 1, periodFrames: 480, maximumFrames: 480)
    private let running = Atomic<Bool>(false)
    private var thread = pthread_t()
    private var callbacks: DeviceCallbacks?

    func open(_ request: DeviceRequest) -> DeviceGrant { DeviceGrant(capture: format, playback: format) }

    func start(_ callbacks: DeviceCallbacks) {
        self.callbacks = callbacks
        running.store(true, ordering: .releasing)
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<BusyDevice>.fromOpaque(context!).takeUnretainedValue().loop()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func loop() {
        guard let callbacks else { return }
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 480)
        block.initialize(repeating: 0, count: 480)
        defer { block.deallocate() }
        var turn: Int64 = 0
        var format = self.format
        while running.load(ordering: .acquiring) {
            var time = DeviceTime(
                sampleTime: turn * 480, hostTime: HostTime(nanoseconds: 1_000_000_000 + turn * 10_000_000),
                latencyMilliseconds: 1)
            callbacks.capture(callbacks.context, block, 480, &time)
            callbacks.playback(callbacks.context, block, 480, &time)
            turn += 1
            if turn % 16 == 0 {
                // The route changes underneath.
                format.sampleRate = turn % 32 == 0 ? 48_000 : 44_100
                callbacks.formatChanged(callbacks.context, true, &format)
                callbacks.formatChanged(callbacks.context, false, &format)
            }
            usleep(50)
        }
    }

    func stop() {
        guard running.exchange(false, ordering: .acquiringAndReleasing) else { return }
        pthread_join(thread, nil)
    }

    func close() {}
    var status: DeviceStatus { DeviceStatus() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}
}

@Suite("Stopping")
struct StopTests {
    @Test("stop returns in bounded time from many threads while route, mute and bypass change")
    func manyThreads() throws {
        let unit = VoiceProcessingIO(device: BusyDevice())
        try unit.enable(input: true, output: true)
        try unit.setInputHandler(
            InputHandler { notice in
                // A handler may read figures while another thread waits in stop.
                _ = unit.latency
                _ = unit.statistics
                _ = unit.state
                _ = unit.echoState
            })
        try unit.setRenderCallback(RenderCallback { $0.outputIsSilence = true })
        try unit.initialize()
        let begin = ContinuousClock.now
        // Threads of their own: tasks would wait for the other tests' turns and measure those.
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for round in 0..<16 {
                switch (worker + round) % 4 {
                case 0: try? unit.start()
                case 1: unit.stop()
                case 2: unit.isMuted.toggle()
                default: unit.isBypassed.toggle()
                }
                usleep(200)
            }
            unit.stop()
        }
        // A hang is what this looks for, so the limit is far above what a loaded machine needs.
        #expect(ContinuousClock.now - begin < .seconds(90))
        #expect(unit.state == .initialized)
        #expect(unit.statistics.inputFrames > 0)
        unit.dispose()
        #expect(unit.state == .disposed)
    }

    @Test("dispose from several threads at once ends the unit once")
    func disposeRace() async throws {
        for _ in 0..<20 {
            let unit = RemoteIO(device: BusyDevice())
            try unit.enable(input: true, output: true)
            try unit.initialize()
            try unit.start()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { unit.dispose() } }
            }
            #expect(unit.state == .disposed)
            #expect(throws: AudioUnitError.disposed) { try unit.start() }
        }
    }
}
