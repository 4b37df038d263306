import AudioDevices
import AudioUnits
import Foundation
import Realtime
import Simulation
import Testing

/// A unit in a room whose clocks drift apart, for as long as one likes: levels are kept by the second, not the samples.
private final class DriftingRoom: @unchecked Sendable {
    let unit: VoiceProcessingIO
    private let device: VirtualDevice
    private let speech: [Float]
    private var spoken = 0
    private var microphone: RingConsumer<Float>
    private var sent: Float = 0
    private var heard: Float = 0
    private var now = HostTime.zero

    static let rate = 16_000

    init(_ room: RoomSpecification, seed: UInt64) throws {
        var talker = SyntheticTalker(sampleRate: Self.rate, pitch: 130, seed: seed)
        speech = talker.converse(seconds: 64, turnSeconds: 8, startsSilent: false)
        device = VirtualDevice(.room(room), options: DeviceOptions(clock: .manual, seed: seed))
        unit = VoiceProcessingIO(device: device)
        let tap = try RingEnds<Float>(minimumCapacity: 4 * Self.rate)
        microphone = tap.consumer
        var request = DeviceRequest()
        request.sampleRate = Double(Self.rate)
        try unit.setDevicePreferences(request)
        try unit.enable(input: true, output: true)
        let format = StreamFormat(sampleRate: Double(Self.rate))
        try unit.setFormat(format, scope: .output, element: Element.input)
        try unit.setFormat(format, scope: .input, element: Element.output)
        try unit.setTap(.microphone, tap.producer)
        unit.automaticGainControl = false
        try unit.setRenderCallback(RenderCallback { [self] in play(&$0) })
        try unit.setInputHandler(InputHandler { [self] in take($0) })
        try unit.initialize()
        try unit.start()
    }

    private func play(_ slice: inout RenderSlice) {
        for index in 0..<slice.frames {
            slice.buffer[index] = speech[spoken]
            spoken = spoken + 1 == speech.count ? 0 : spoken + 1
        }
        slice.producedFrames = slice.frames
    }

    private func take(_ notice: InputNotice) {
        var block = [Float](repeating: 0, count: notice.frames)
        let count = block.withUnsafeMutableBufferPointer {
            notice.render(into: $0.baseAddress!, frames: notice.frames)
        }
        for index in 0..<count { sent += block[index] * block[index] }
    }

    /// Half a second; powers of microphone and output in it.
    func halfSecond() -> (microphone: Float, output: Float) {
        for _ in 0..<50 {
            now = now.advanced(byMilliseconds: 10)
            device.advance(frames: Self.rate / 100, now: now)
        }
        var block = [Float](repeating: 0, count: 4096)
        while true {
            let count = block.withUnsafeMutableBufferPointer { microphone.read(into: $0.baseAddress!, count: 4096) }
            if count == 0 { break }
            for index in 0..<count { heard += block[index] * block[index] }
        }
        defer { (sent, heard) = (0, 0) }
        return (heard / Float(Self.rate / 2), sent / Float(Self.rate / 2))
    }
}

@Suite("Echo control while the clocks drift apart") struct EchoDriftTests {
    /// Length of the run, in minutes of the call, where it is to be another.
    private static let wished = ProcessInfo.processInfo.environment["YODEL_SOAK_MINUTES"].flatMap(Double.init)

    @Test("keeps 20 dB, the delay to 4 ms and its place, for half an hour", arguments: [(100.0, 30.0), (-100, 4)])
    func soak(ppm: Double, usual: Double) throws {
        let minutes = Self.wished ?? usual
        let room = RoomSpecification(
            response: .builtIn(.office), driftPPM: ppm, noiseDecibels: -75, delayMilliseconds: 40, echoDecibels: -10)
        let run = try DriftingRoom(room, seed: 5)
        defer { run.unit.dispose() }
        var worstInARow = 0
        var inARow = 0
        var first: Double?
        var farthest = 0.0
        for half in 0..<Int(minutes * 120) {
            let powers = run.halfSecond()
            guard half >= 20 else { continue }
            let delay = try #require(run.unit.echoState.delayMs)
            if first == nil { first = delay }
            farthest = max(farthest, abs(delay - (first ?? delay)))
            // The tail of an echo in a pause tells nothing.
            guard powers.microphone > 1e-5 else { continue }
            // Under 20 dB.
            inARow = powers.microphone < 100 * powers.output ? inARow + 1 : 0
            worstInARow = max(worstInARow, inARow)
        }
        let state = run.unit.echoState
        print("\(minutes) min at \(ppm) ppm: delay \(first ?? -1) ms, wandered \(farthest) ms, \(state)")
        #expect(worstInARow <= 2, "half seconds under 20 dB")
        #expect(farthest < 4)
        #expect((40...46).contains(try #require(first)))
        #expect(state.realignCount == 0)
        #expect(abs(try #require(state.driftPPM) - ppm) < 5)
    }
}
