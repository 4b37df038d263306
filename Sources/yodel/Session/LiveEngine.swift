import AudioDevices
import AudioFiles
import AudioSession
import AudioUnits
import Codecs
import DSP
import Glibc
import JitterBuffer
import Link
import LiveMedia
import Media
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
        _ uris: [CallURI], role: CallURI.Role, echoes: Bool, _ options: MediaOptions
    ) throws(CommandError) -> any LiveCall {
        let seed = options.seed ?? .random(in: .min ... .max)
        let parties = try uris.enumerated().map { (index, uri) throws(CommandError) in
            try makeParty(uri, role, echoes: echoes, seed: seed &+ UInt64(index), options)
        }
        do throws(CallError) {
            let channels = parties.count > 1 ? 2 : 1
            let audio = options.makeAudioSession()
            let session = try CallSession(
                parties, unit: try options.makeUnit(seed: seed, playbackChannels: channels, audio: audio),
                playoutChannels: channels, recordPath: options.recordPath, capturePath: options.capturePath,
                dumpFolder: options.dumpFolder, realtime: options.realtime, audio: audio)
            for party in parties { options.logPlan(party.configuration, party.socket) }
            let call = SessionCall(session, parties: parties, options: options)
            try session.start()
            call.announceStart()
            return call
        } catch {
            throw CommandError(error)
        }
    }

    private func makeParty(
        _ uri: CallURI, _ role: CallURI.Role, echoes: Bool, seed: UInt64, _ options: MediaOptions
    ) throws(CommandError) -> CallParty {
        let socket = try makeSocket(uri, role, options)
        var configuration = options.callConfiguration(seed: seed)
        if let payloadType = uri.payloadType { configuration.payloadType = payloadType }
        try options.checkRedundancy(configuration)
        configuration.digits = options.digits
        configuration.echoes = echoes
        configuration.policy.waitsForCaller = role == .listen
        if let path = options.playPath {
            do {
                configuration.announcement = try AudioFileReader.samples(path: path, rate: options.codec.sampleRate)
            } catch {
                throw CommandError(error)
            }
        }
        return CallParty(configuration: configuration, socket: socket, allow: options.allow)
    }

    private func makeSocket(
        _ uri: CallURI, _ role: CallURI.Role, _ options: MediaOptions
    ) throws(CommandError) -> UDPLink {
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
                // Where none can be reached the first one's error says why.
                let remote = reachable(addresses, from: options.bind).first ?? addresses[0]
                return try UDPLink(bind: options.bind, localPort: uri.localPort ?? 0, remote: remote, rtcp: rtcp)
            case .listen:
                return try listen(options.bind.map { [$0] } ?? addresses.map(\.address), uri.port, rtcp)
            }
        } catch {
            throw CommandError(error)
        }
    }

    /// On the first of `addresses` that can be bound.
    ///
    /// - Throws: what is wrong with the first of them.
    private func listen(
        _ addresses: [IPAddress], _ port: UInt16, _ rtcp: RTCPTransport
    ) throws(NetworkError) -> UDPLink {
        var first: NetworkError?
        for address in addresses {
            do throws(NetworkError) {
                return try UDPLink(bind: address, localPort: port, rtcp: rtcp)
            } catch {
                if first == nil { first = error }
            }
        }
        throw first ?? .hostUnknown("", reason: "no address")
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
    /// - Parameter audio: the session it becomes part of.
    func makeUnit(
        seed: UInt64, voiceProcessing wanted: Bool? = nil, playbackChannels: Int = 1, audio: AudioSession? = nil
    ) throws(CallError) -> any InputOutputUnit {
        try device.makeUnit(
            voiceProcessing: wanted ?? voiceProcessing, seed: seed, playbackChannels: playbackChannels, audio: audio)
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
        plan.voice = options.device.voice
        plan.network = conditions
        plan.scenario = scenario
        plan.seed = options.seed ?? 1
        plan.dumpFolder = options.dumpFolder
        plan.realtime = options.realtime
        return plan
    }
}
