import AudioDevices
import AudioUnits
import Calling
import Codecs
import DSP
import Glibc
import JitterBuffer
import Network
import RTP
import Realtime
import Reporting
import Settings
import Simulation

/// The engine behind the commands.
let engine: any Engine = LiveEngine()

/// Calls over real sockets and devices, loopback tests live or in virtual time.
struct LiveEngine: Engine {
    func start(
        _ uri: CallURI, role: CallURI.Role, echoes: Bool, _ options: MediaOptions
    ) throws(CommandError) -> any LiveCall {
        let transport = try makeTransport(uri, role, options)
        var configuration = options.callConfiguration(seed: options.seed ?? .random(in: .min ... .max))
        if let payloadType = uri.payloadType { configuration.payloadType = payloadType }
        try options.checkRedundancy(configuration)
        configuration.digits = options.digits
        configuration.echoes = echoes
        configuration.waitsForCaller = role == .listen
        if let path = options.playPath {
            do {
                configuration.announcement = try AudioFileReader.samples(path: path, rate: options.codec.sampleRate)
            } catch {
                throw CommandError(error)
            }
        }
        do throws(CallError) {
            let session = try CallSession(
                configuration: configuration, unit: try options.makeUnit(seed: configuration.seed),
                transport: transport, recordPath: options.recordPath, capturePath: options.capturePath,
                dumpFolder: options.dumpFolder, realtime: options.realtime)
            options.logPlan(configuration, transport)
            let call = SessionCall(session, transport: transport, options: options)
            try session.start()
            call.announceStart()
            return call
        } catch {
            throw CommandError(error)
        }
    }

    private func makeTransport(
        _ uri: CallURI, _ role: CallURI.Role, _ options: MediaOptions
    ) throws(CommandError) -> MediaTransport {
        do {
            let rtcp: RTCPTransport =
                switch uri.rtcp {
                case .mux: .mux
                case .next: .separate()
                case .port(let port): .separate(remotePort: port)
                }
            let addresses = try resolve(host: uri.host, port: uri.port)
            switch role {
            case .call:
                return try MediaTransport(
                    bind: options.bind, localPort: uri.localPort ?? 0, remote: addresses[0], rtcp: rtcp,
                    allow: options.allow)
            case .listen:
                return try MediaTransport(
                    bind: options.bind ?? addresses[0].address, localPort: uri.port, rtcp: rtcp, allow: options.allow)
            }
        } catch {
            throw CommandError(error)
        }
    }

    func loopback(
        _ request: LoopbackRequest, isInterrupted: () -> Bool, onEvent: (Event) -> Void
    ) throws(CommandError) -> LoopbackReport {
        do throws(CallError) {
            let plan = try request.plan()
            if request.offline {
                let call = try OfflineCall(plan)
                try call.run(isInterrupted: isInterrupted)
                return call.report
            }
            let loopback = try LiveLoopback(plan)
            return try loopback.run(isInterrupted: isInterrupted, onEvent: onEvent)
        } catch {
            throw CommandError(error)
        }
    }

    func devices() -> [DeviceListing] { listDevices() }

    func testDevice(
        _ options: MediaOptions, isInterrupted: () -> Bool, onLevel: (Double) -> Void
    ) throws(CommandError) {
        do throws(CallError) {
            let test = try DeviceTest(unit: try options.makeUnit(seed: options.seed ?? 1, voiceProcessing: false))
            try test.run(isInterrupted: isInterrupted, onLevel: onLevel)
        } catch {
            throw CommandError(error)
        }
    }
}

extension MediaOptions {
    /// What both ends of a call share.
    func callConfiguration(seed: UInt64) -> CallConfiguration {
        var configuration = CallConfiguration(codec: codec, seed: seed)
        configuration.encoder = encoder
        configuration.jitterBuffer = JitterBufferConfiguration(latency: latency)
        configuration.redundancyPayloadType = redundancyPayloadType
        configuration.maximumBitrate = maximumBitrate
        configuration.reportIntervalSeconds = reportIntervalSeconds
        return configuration
    }

    /// The I/O unit on the device that was named, its wishes set.
    func makeUnit(seed: UInt64, voiceProcessing wanted: Bool? = nil) throws(CallError) -> any InputOutputUnit {
        var deviceOptions = DeviceOptions(seed: seed)
        deviceOptions.nearEnd = []
        let device: any HardwareDevice
        do {
            device = try makeDevice(input, output, options: deviceOptions)
        } catch {
            throw .device(error)
        }
        let unit: any InputOutputUnit =
            (wanted ?? voiceProcessing) ? VoiceProcessingIO(device: device) : RemoteIO(device: device)
        var preferences = DeviceRequest()
        preferences.sampleRate = sampleRate.map(Double.init)
        preferences.periodMilliseconds = periodMilliseconds
        preferences.realtimePriority = realtime ? CallSession.devicePriority : nil
        do {
            try unit.setDevicePreferences(preferences)
        } catch {
            throw .audioUnit(error)
        }
        return unit
    }
}

extension LoopbackRequest {
    /// The test as the simulation takes it.
    func plan() throws(CallError) -> LoopbackPlan {
        var plan = LoopbackPlan()
        plan.seconds = options.durationSeconds ?? (offline ? 60 : 20)
        plan.codec = options.codec
        plan.encoder = options.encoder
        plan.jitterBuffer = JitterBufferConfiguration(latency: options.latency)
        plan.redundancyPayloadType = options.redundancyPayloadType
        plan.maximumBitrate = options.maximumBitrate
        plan.reportIntervalSeconds = options.reportIntervalSeconds
        if options.choosesDevice {
            guard case .room(let room) = options.input, options.input == options.output else {
                throw .device(
                    .malformedName(name: options.input.name, reason: "a loopback test sits in a room: room:small"))
            }
            plan.room = room
        }
        if let path = options.nearPath { plan.room.nearPath = path }
        plan.deviceRate = options.sampleRate
        if let period = options.periodMilliseconds { plan.periodMilliseconds = period }
        plan.voiceProcessing = options.voiceProcessing
        plan.network = conditions
        plan.scenario = scenario
        plan.seed = options.seed ?? 1
        plan.dumpFolder = options.dumpFolder
        plan.realtime = options.realtime
        return plan
    }
}
