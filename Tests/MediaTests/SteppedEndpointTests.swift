import AudioDevices
import AudioUnits
import LiveMedia
import Media
import RTP
import Realtime
import Testing

@Suite("A device that is moved by who has the calls") struct SteppedEndpointTests {
    private func endpoint(_ device: VirtualDevice, rate: Int, frameMilliseconds: Int, period: Double? = nil, isStepped: Bool)
        throws
        -> AudioEndpoint
    {
        let unit = RemoteIO(device: device)
        var request = DeviceRequest()
        (request.periodMilliseconds, request.sampleRate) = (period, Double(rate))
        try unit.setDevicePreferences(request)
        return try AudioEndpoint(
            unit: unit, sampleRate: rate, frameLength: rate * frameMilliseconds / 1000, isStepped: isStepped)
    }

    @Test("has shorter rings, but for long packets", arguments: [8000, 16_000, 48_000])
    func rings(rate: Int) throws {
        func capacity(_ milliseconds: Int, isStepped: Bool) throws -> UInt {
            let endpoint = try endpoint(
                VirtualDevice(.null), rate: rate, frameMilliseconds: milliseconds, isStepped: isStepped)
            #expect(endpoint.end.captureRing.capacity == endpoint.end.playoutRing.capacity)
            return endpoint.end.captureRing.capacity
        }
        let usual = try capacity(20, isStepped: false)
        #expect(try capacity(20, isStepped: true) == usual / 2)
        #expect(try capacity(60, isStepped: true) == usual / 2)
        #expect(try capacity(120, isStepped: true) == usual)
    }

    @Test(
        "leaves no gap by it, at the longest period and packet, also after a machine that stood still",
        arguments: [8000, 48_000])
    func longest(rate: Int) throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let endpoint = try endpoint(device, rate: rate, frameMilliseconds: 60, period: 100, isStepped: true)
        try endpoint.unit.start()
        defer { endpoint.unit.stop() }
        let loop = MediaLoop(device: endpoint.end, frameLength: rate * 60 / 1000)
        var periods = 0
        for slot in 1...2000 where !(1000..<1030).contains(slot) {
            let due = HostTime(milliseconds: Double(slot) * 5)
            while turns.passPeriod(until: due, now: due, lateBy: nil) {
                periods += 1
                loop.step(now: due, ntp: NTPTime(unixNanoseconds: due.nanoseconds))
            }
            let left = loop.device.captureRing.available(wanted: rate)
            #expect(left < rate * 60 / 1000, "what no frame has taken")
        }
        #expect(loop.playoutGaps == 0 && (98...100).contains(periods), "\(periods)")
    }
}
