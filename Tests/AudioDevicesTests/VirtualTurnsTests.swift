import AudioDevices
import AudioUnits
import Glibc
import Realtime
import Testing

@Suite("A device that somebody else's clock moves") struct VirtualTurnsTests {
    private static let rate = 16_000.0

    private func request(period: Double = 10) -> DeviceRequest {
        var request = DeviceRequest(capture: true, playback: true)
        request.sampleRate = Self.rate
        request.periodMilliseconds = period
        return request
    }

    /// Slots of 5 ms up to `end`, each at its time.
    private func run(_ turns: any DeviceTurns, from first: Double = 0, to end: Double, now: Double? = nil) -> Int {
        var periods = 0
        for milliseconds in stride(from: first, through: end, by: 5) {
            let due = HostTime(milliseconds: milliseconds)
            while turns.passPeriod(until: due, now: now.map { HostTime(milliseconds: $0) } ?? due, lateBy: nil) { periods += 1 }
        }
        return periods
    }

    @Test(
        "has its periods at the times that it is given, on the thread that gives them, and none before it starts or after it stops"
    )
    func periods() throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request())
        #expect(run(turns, to: 50) == 0)
        try device.start(probe.callbacks)
        #expect(run(turns, to: 995) == 100)
        let log = probe.contents
        #expect(log.captured.count == 100 * 160 && log.played == 100 * 160)
        for (index, time) in log.captureTimes.enumerated() {
            #expect(time.sampleTime == Int64(160 * index))
            #expect(time.hostTime == HostTime(milliseconds: Double(10 * index - 10)))
        }
        #expect(log.threads == [pthread_self()])
        device.stop()
        #expect(run(turns, from: 1000, to: 1100) == 0)
        #expect(probe.contents.played == log.played)
    }

    @Test("has periods of their length in the mean, though no slot ends with them", arguments: [2.5, 7, 12])
    func unevenPeriods(period: Double) throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request(period: period))
        try device.start(probe.callbacks)
        #expect(run(turns, to: 4200) == 1 + Int(4200 / period))
        let times = probe.contents.captureTimes.map(\.hostTime)
        for (former, next) in zip(times, times.dropFirst()) { #expect(next.milliseconds(since: former) == period) }
    }

    @Test("makes up for a stop period by period; one of more than 200 ms is left out and told, and the rhythm stays")
    func stops() throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        #expect(run(turns, to: 100) == 11)
        #expect(run(turns, from: 105, to: 250, now: 250) == 15)
        #expect(device.status.captureXruns == 0 && device.status.playbackXruns == 0)
        #expect(run(turns, from: 255, to: 750, now: 750) == 1)
        #expect(device.status.captureXruns == 1 && device.status.playbackXruns == 1)
        #expect(device.status.playbackSilentMilliseconds == 490)
        #expect(run(turns, from: 755, to: 800) == 5)
        #expect(probe.contents.captureTimes.last?.hostTime == HostTime(milliseconds: 790))
    }

    @Test("what was due long before the first turn is no stop")
    func lateStart() throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        #expect(run(turns, to: 1000, now: 1000) == 21)
        #expect(device.status.captureXruns == 0)
    }

    @Test("a unit's times are right again from the first block after it was stopped and started")
    func restart() throws {
        let device = VirtualDevice(.null)
        let turns = try #require(device.takeTurns())
        let unit = RemoteIO(device: device)
        let format = StreamFormat(sampleRate: Self.rate)
        nonisolated(unsafe) var captured: [HostTime] = []
        nonisolated(unsafe) var played: [HostTime] = []
        try unit.setDevicePreferences(request())
        try unit.enable(input: true, output: true)
        try unit.setFormat(format, scope: .input, element: Element.output)
        try unit.setFormat(format, scope: .output, element: Element.input)
        try unit.setInputHandler(InputHandler { captured.append($0.time.hostTime) })
        try unit.setRenderCallback(RenderCallback { played.append($0.time.hostTime) })
        try unit.initialize()
        for start in [0.0, 6000] {
            (captured, played) = ([], [])
            try unit.start()
            #expect(run(turns, from: start, to: start + 990) == 100)
            unit.stop()
            #expect(captured.count == 100 && played.count == 100)
            for (index, time) in captured.enumerated() {
                #expect(abs(time.milliseconds(since: HostTime(milliseconds: start + Double(10 * index - 10)))) < 0.1)
            }
            for (index, time) in played.enumerated() {
                #expect(abs(time.milliseconds(since: HostTime(milliseconds: start + Double(10 * index)))) < 0.1)
            }
        }
        unit.dispose()
    }

    @Test("tells how late the machine was with its turns")
    func lateness() throws {
        let device = VirtualDevice(SoundExchange(sampleRate: 16_000), identifier: "program")
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        for turn in 0..<10 {
            let due = HostTime(milliseconds: Double(10 * turn))
            let late = turn == 5 ? 12.0 : turn == 7 ? 2 : 0.1
            #expect(turns.passPeriod(until: due, now: due.advanced(byMilliseconds: late), lateBy: late))
        }
        let machine = try #require(device.status.machine)
        #expect(machine.stops == 1 && machine.longestMilliseconds == 12)
        #expect(machine.lastStop?.end == HostTime(milliseconds: 62))
        #expect(machine.lastLateTurn == MachineStop(begin: HostTime(milliseconds: 70), end: HostTime(milliseconds: 72)))
    }

    @Test("takes any lateness", arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func anyLateness(milliseconds: Double) throws {
        let device = VirtualDevice(SoundExchange(sampleRate: 16_000), identifier: "program")
        let turns = try #require(device.takeTurns())
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        for turn in 0..<3 {
            let due = HostTime(milliseconds: Double(10 * turn))
            #expect(turns.passPeriod(until: due, now: due, lateBy: milliseconds))
        }
        #expect(device.status.machine?.stops == 0)
    }

    @Test("others move by themselves: files, rooms, virtual time, and what runs already")
    func refusals() throws {
        #expect(VirtualDevice(.file(capture: "/none.wav", playback: nil, loop: false)).takeTurns() == nil)
        #expect(
            VirtualDevice(capture: .null, playback: .file(capture: nil, playback: "/none.wav", loop: false)).takeTurns() == nil)
        #expect(VirtualDevice(.pipe).takeTurns() == nil)
        #expect(VirtualDevice(try DeviceSpecification(parsing: "room:small")).takeTurns() == nil)
        #expect(VirtualDevice(.null, options: DeviceOptions(clock: .manual)).takeTurns() == nil)
        let device = VirtualDevice(.null)
        let probe = CallbackProbe()
        _ = try device.open(request())
        try device.start(probe.callbacks)
        #expect(device.takeTurns() == nil)
        device.stop()
        #expect(device.takeTurns() != nil)
    }
}
