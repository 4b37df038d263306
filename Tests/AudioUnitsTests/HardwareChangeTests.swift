import AudioUnits
import Realtime
import Testing

@Suite("Hardware that changes or starts again")
struct HardwareChangeTests {
    @Test("each hardware side is told as it is after a change of format, until the device is given back")
    func formats() throws {
        let device = ManualDevice(rate: 8_000)
        let unit = RemoteIO(device: device)
        try unit.enable(input: true, output: true)
        try unit.initialize()
        try unit.start()
        func told(_ scope: Scope, _ element: Int) throws -> [Double] {
            let format = try unit.format(scope: scope, element: element)
            return [format.sampleRate, Double(format.channels)]
        }
        #expect(try told(.output, Element.output) == [8_000, 1])
        #expect(try told(.input, Element.input) == [8_000, 1])
        let slice = unit.maximumFramesPerSlice
        let after = DeviceStreamFormat(sampleRate: 44_100, channels: 2, periodFrames: 441, maximumFrames: 441)
        device.change(capture: false, to: after)
        #expect(try told(.output, Element.output) == [44_100, 2])
        #expect(try told(.input, Element.input) == [8_000, 1])
        device.change(capture: true, to: after)
        #expect(try told(.input, Element.input) == [44_100, 2])
        #expect(unit.maximumFramesPerSlice == slice, "what the slices are cut to stays")
        unit.uninitialize()
        #expect(throws: AudioUnitError.notInitialized) { try unit.format(scope: .output, element: Element.output) }
        #expect(throws: AudioUnitError.notInitialized) { try unit.format(scope: .input, element: Element.input) }
    }

    @Test("the clock follows a device that counts from 0 again, from its first block on", arguments: [1, 6_000])
    func clock(blocks: Int) {
        var clock = DeviceClock(nominalRate: 48_000)
        for start in [10.0, 115] {
            for block in 0..<blocks {
                let seconds = start + Double(block) * 0.01
                clock.update(sampleTime: Int64(block * 480), hostTime: HostTime(milliseconds: seconds * 1000))
                #expect(abs(clock.seconds(at: Int64(block * 480)) - seconds) < 1e-6)
            }
        }
        #expect(clock.resets == 1)
    }
}
