import AudioDevices
import JitterBuffer
import LiveMedia
import Media
import Reporting
import Simulation
import Softphone

/// A loopback test that somebody wants.
public struct LoopbackRequest: Sendable {
    /// Coding, voice processing and files; of the device only what is wished of it.
    public var media: MediaRequest
    /// Whether the device is a room that somebody chose; the usual one otherwise.
    public var choosesDevice = false
    /// Length of the test, s; `nil` is the usual one: 20 live, 60 in virtual time.
    public var seconds: Double?
    /// Speech of the person in the simulated room, a file.
    public var nearPath: String?
    /// The simulated network.
    public var conditions = NetworkConditions()
    /// How the network was named; for the report.
    public var scenario: String?
    /// Whether the media are encrypted.
    public var encrypts = false
    /// In virtual time.
    public var offline = false
    /// When the machine stands still, in virtual time.
    private var machine: MachineConditions?

    public init(media: MediaRequest) { self.media = media }

    /// Has the machine stand still now and then, as `text` says, in virtual time; `nil` changes nothing. After `offline` is set.
    public mutating func stopMachine(_ text: String?) throws(MachineConditionsError) {
        guard let text else { return }
        guard offline else { throw .live }
        machine = try MachineConditions(parsing: text)
    }

    /// Runs the test to its end, or until `isInterrupted` says so: it is asked at least every 50 ms.
    /// - Parameters:
    ///   - willBegin: called when everything is opened, before the first sample passes.
    ///   - isInterrupted: whether to end before the time is up.
    ///   - onEvent: told what happens.
    /// - Throws: what cannot be opened, or not be done.
    /// - Returns: the figures of both sides.
    public func run(
        willBegin: () -> Void = {}, isInterrupted: () -> Bool, onEvent: (Event) -> Void
    ) throws(SoftphoneError) -> LoopbackReport {
        do throws(CallError) {
            let plan = try plan()
            if offline {
                let call = try OfflineCall(plan)
                willBegin()
                try call.run(isInterrupted: isInterrupted)
                return call.report
            }
            let loopback = try LiveLoopback(plan)
            willBegin()
            return try loopback.run(isInterrupted: isInterrupted, onEvent: onEvent)
        } catch {
            throw SoftphoneError(error)
        }
    }
}

extension LoopbackRequest {
    /// The test as the simulation takes it.
    func plan() throws(CallError) -> LoopbackPlan {
        var plan = LoopbackPlan()
        plan.seconds = seconds ?? (offline ? 60 : 20)
        plan.codec = media.codec
        plan.encoder = media.encoder
        plan.jitterBuffer = JitterBufferConfiguration(latency: media.latency)
        plan.redundancyPayloadType = media.redundancyPayloadType
        plan.maximumBitrate = media.maximumBitrate
        plan.reportIntervalSeconds = media.reportIntervalSeconds
        if choosesDevice {
            guard case .room(let room) = media.device.input, media.device.input == media.device.output else {
                throw .device(
                    .malformedName(name: media.device.input.name, reason: "a loopback test sits in a room: room:small"))
            }
            plan.room = room
        }
        if let path = nearPath { plan.room.nearPath = path }
        plan.deviceRate = media.device.sampleRate
        if let period = media.device.periodMilliseconds { plan.periodMilliseconds = period }
        plan.voiceProcessing = media.voiceProcessing
        plan.voice = media.device.voice
        plan.network = conditions
        plan.scenario = scenario
        plan.machine = machine
        plan.encrypts = encrypts
        plan.seed = media.seed ?? 1
        plan.dumpFolder = media.dumpFolder
        plan.realtime = media.device.realtime
        return plan
    }
}
