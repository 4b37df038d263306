import AudioDevices
import AudioUnits
import Link
import LiveMedia
import Media
import Metrics
import RTP
import Realtime
import Reporting

/// One endpoint of an `OfflineCall`: room, unit, rings and call, moved by hand.
public final class OfflineSide {
    /// The call; its statistics and events are this side's.
    public let call: Call
    /// The unit between call and room.
    public let unit: any InputOutputUnit
    /// What the person on this side says, at the device's rate.
    public let spoken: [Float]
    /// What the loudspeaker of this side played, at the device's rate, from the call's start on.
    public var heard: [Float] { overheard.played }
    /// Rate of `spoken` and `heard` in Hz.
    public let deviceRate: Int
    /// When echo control had found the room, in seconds; `nil` if it never did.
    public private(set) var convergedSeconds: Double?
    /// What happened, with its time in seconds.
    public private(set) var events: [(seconds: Double, event: CallEvent)] = []

    let link: any PacketLink
    private let device: VirtualDevice
    private let loop: MediaLoop
    private let endpoint: AudioEndpoint
    private let overheard: OverheardDevice
    /// When this side's machine stands still, and the buffers that its device has for that.
    let machine: (stops: MachineStops, device: QueuedDevice)?
    private let framesPerTick: Int
    private let dump: SignalDump?

    init(plan: LoopbackPlan, side: Int, link: any PacketLink) throws(CallError) {
        self.link = link
        do { call = try Call(configuration: plan.configuration(side: side), link: link, now: .zero) } catch {
            throw .codec(error)
        }
        let rate = plan.deviceRate ?? call.sampleRate
        deviceRate = rate
        framesPerTick = Int(Double(rate) * plan.periodMilliseconds / 1000)
        spoken = plan.talker(side: side, sampleRate: rate)
        device = VirtualDevice(
            .room(plan.room),
            options: DeviceOptions(clock: .manual, seed: plan.seed &+ UInt64(side), nearEnd: spoken))
        overheard = OverheardDevice(device)
        let queued = plan.machine == nil ? nil : QueuedDevice(overheard)
        machine = if let queued, let stops = plan.stops(side: side) { (stops, queued) } else { nil }
        unit = try makeUnit(plan, device: queued ?? overheard, rate: rate)
        dump =
            if let folder = plan.dumpFolder {
                try SignalDump(
                    folder: folder, side: side == 0 ? "a" : "b", sampleRate: call.sampleRate, unit: unit, now: .zero)
            } else { nil }
        let endpoint = try AudioEndpoint(unit: unit, sampleRate: call.sampleRate, frameLength: call.frameLength)
        loop = MediaLoop(device: endpoint.end, frameLength: call.frameLength)
        self.endpoint = endpoint
        do { try loop.add(call) } catch { throw .conference(error) }
        if let dump { loop.taps = [dump] }
    }

    func start() throws(CallError) {
        do {
            try unit.start()
        } catch {
            throw .audioUnit(error)
        }
    }

    /// Takes what has come from the network.
    func receive(now: HostTime) { loop.receive(now: now) }

    /// One period of the device, and the media thread's turn after it.
    func step(now: HostTime) {
        passPeriod(now: now)
        stepLoop(now: now)
    }

    /// One period of the device's own clock.
    func passPeriod(now: HostTime) { device.advance(frames: framesPerTick, now: now) }

    /// The turns of all threads that are due.
    func turn(now: HostTime) {
        machine?.device.deliver()
        machine?.device.turn(now: now)
        stepLoop(now: now)
    }

    /// The media thread's turn.
    func stepLoop(now: HostTime) {
        loop.receive(now: now)
        loop.step(now: now, ntp: .virtual(now))
        dump?.drain()
        let seconds = now.milliseconds(since: .zero) / 1000
        for event in call.takeEvents() { events.append((seconds, event)) }
        if convergedSeconds == nil, let voice = unit as? VoiceProcessingIO, voice.echoState.converged {
            convergedSeconds = seconds
        }
    }

    /// Does what a person asks of this side at `now`.
    package func perform(_ command: CallCommand, now: HostTime) {
        call.perform(command, now: now, ntp: .virtual(now))
    }

    func hangUp(now: HostTime) {
        call.perform(.hangUp(.duration), now: now, ntp: .virtual(now))
        finalStatistics = statistics
    }

    func finish() {
        unit.dispose()
        dump?.finish()
    }

    /// Silence that the loudspeaker played because the machine was late, in milliseconds.
    public var silentMilliseconds: Double {
        Double(machine?.device.silentFrames ?? 0) * 1000 / Double(deviceRate)
    }

    /// This side's figures, of the unit too.
    public var statistics: CallStatistics {
        if let finalStatistics { return finalStatistics }
        var figures = call.statistics
        figures.fill(from: unit)
        figures.fillLink(from: link.statistics)
        (figures.playoutGaps, figures.playoutGapMilliseconds) = (loop.playoutGaps, loop.playoutGapMilliseconds)
        figures.bookPlayoutGaps()
        return figures
    }
    private var finalStatistics: CallStatistics?
}

/// The I/O unit a plan asks for, its device preferences set.
public func makeUnit(
    _ plan: LoopbackPlan, device: any HardwareDevice, rate: Int
) throws(CallError) -> any InputOutputUnit {
    let device = plan.wrapDevice(device)
    let processing = plan.voiceProcessing ? VoiceProcessingIO(device: device) : nil
    let unit: any InputOutputUnit = processing ?? RemoteIO(device: device)
    var preferences = DeviceRequest()
    preferences.sampleRate = Double(rate)
    preferences.periodMilliseconds = plan.periodMilliseconds
    preferences.realtimePriority = plan.realtime ? CallSession.devicePriority : nil
    do {
        try processing?.setConfiguration(plan.voice)
        try unit.setDevicePreferences(preferences)
    } catch {
        throw .audioUnit(error)
    }
    return unit
}

extension NTPTime {
    /// The wall clock of a simulated call: it began at the NTP era's start plus a day.
    static func virtual(_ now: HostTime) -> NTPTime { NTPTime(unixNanoseconds: now.nanoseconds &+ 86_400_000_000_000) }
}
