import AudioUnits
import Glibc
import Realtime
import TestThreads
import Testing

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
        try onOwnThreads(4) { worker in
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
