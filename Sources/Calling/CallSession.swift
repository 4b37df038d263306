import AudioFiles
import AudioSession
import AudioUnits
import Network
import Realtime
import Reporting

/// One other side of a session: what its call is made of, and how its packets travel.
public struct CallParty {
    public let configuration: CallConfiguration
    /// Bound socket(s) of the call.
    public let transport: MediaTransport
    /// Wraps the socket when the network is to be impaired; `nil` sends straight to it.
    public let port: (any PacketPort)?

    public init(configuration: CallConfiguration, transport: MediaTransport, port: (any PacketPort)? = nil) {
        self.configuration = configuration
        self.transport = transport
        self.port = port
    }
}

/// A live call: device, unit, rings, socket and media thread, joined and started together, ended together.
///
/// With several parties it is a conference: each hears us and all others.
///
/// The device and the unit come from the caller, so that the same session runs on a sound card and in a simulated room.
public final class CallSession {
    /// Priority of the media thread, below the device threads and the sound server.
    public static let mediaPriority = 2
    /// Priority asked for the device's threads.
    public static let devicePriority = 3

    /// Commands, events and figures of each party; what concerns the device is told with the first.
    public let channels: [CallChannel]
    /// The first party's.
    public var channel: CallChannel { channels[0] }
    /// The I/O unit between the call and the device.
    public let unit: any InputOutputUnit
    /// The session `unit` is attached to; active as long as the call is.
    public let audio: AudioSession?
    /// The media thread's granted scheduling; `nil` before the start.
    public private(set) var mediaPolicy: ThreadPolicy?

    private let endpoint: AudioEndpoint
    private let recorder: Recorder?
    private let dump: SignalDump?
    private let writers: [any DiskWriter]
    private let disk: DiskThread?
    private var thread: RealtimeThread?
    private let legs: [CallLeg]
    private let realtime: Bool
    private let loop: MediaLoop

    /// Joins everything; nothing runs yet.
    /// - `unit`: not initialized yet.
    /// - `transport`: bound socket(s) of the call.
    /// - `port`: wraps the socket when the network is to be impaired; `nil` sends straight to it.
    /// - `recordPath`: stereo recording of the call.
    /// - `capturePath`: capture of the call's packets (pcapng).
    /// - `dumpFolder`: where every internal signal goes, in a folder `dumpSide` of it if that is given.
    /// - `realtime`: ask for real-time priority.
    /// - `audio`: the session `unit` is attached to; active as long as the call is.
    public convenience init(
        configuration: CallConfiguration, unit: any InputOutputUnit, transport: MediaTransport,
        port: (any PacketPort)? = nil, recordPath: String? = nil, capturePath: String? = nil, dumpFolder: String? = nil,
        dumpSide: String? = nil, realtime: Bool = true, audio: AudioSession? = nil
    ) throws(CallError) {
        try self.init(
            [CallParty(configuration: configuration, transport: transport, port: port)], unit: unit,
            recordPath: recordPath, capturePath: capturePath, dumpFolder: dumpFolder, dumpSide: dumpSide,
            realtime: realtime, audio: audio)
    }

    /// The same with one party or several, all at one rate and frame length.
    /// - `capturePath`: capture of the first party's packets.
    /// - `playoutChannels`: 2 plays each party of a conference from a direction of its own.
    public init(
        _ parties: [CallParty], unit: any InputOutputUnit, playoutChannels: Int = 1, recordPath: String? = nil,
        capturePath: String? = nil, dumpFolder: String? = nil, dumpSide: String? = nil, realtime: Bool = true,
        audio: AudioSession? = nil
    ) throws(CallError) {
        precondition(!parties.isEmpty, "a session has somebody to talk to")
        let now = HostTime.monotonicNow()
        self.unit = unit
        self.realtime = realtime
        self.audio = audio
        let bell = Bell()
        let capture: CallCapture? =
            if let capturePath {
                try CallCapture(
                    path: capturePath, configuration: parties[0].configuration, transport: parties[0].transport)
            } else { nil }
        var legs: [CallLeg] = []
        for (index, party) in parties.enumerated() {
            let port = party.port ?? SocketPort(party.transport, capture: index == 0 ? capture : nil)
            let call = try Call(configuration: party.configuration, port: port, now: now)
            do {
                legs.append(CallLeg(call: call, transport: party.transport, channel: try CallChannel(bell: bell)))
            } catch {
                throw .resources("\(error)")
            }
        }
        self.legs = legs
        channels = legs.map(\.channel)
        let call = legs[0].call
        if let dumpFolder {
            dump = try SignalDump(
                folder: dumpFolder, side: dumpSide, sampleRate: call.sampleRate, unit: unit, now: now)
        } else {
            dump = nil
        }
        recorder = if let recordPath { try Recorder(path: recordPath, sampleRate: call.sampleRate) } else { nil }
        endpoint = try AudioEndpoint(
            unit: unit, sampleRate: call.sampleRate, frameLength: call.frameLength, playoutChannels: playoutChannels,
            bell: bell)
        loop =
            legs.count == 1
            ? MediaLoop(endpoint: endpoint, frameLength: call.frameLength)
            : try MediaLoop(conferenceAt: endpoint, frameLength: call.frameLength)
        for leg in legs { loop.add(leg.call) }
        loop.recorder = recorder
        loop.capture = capture
        unit.device.setEventHandler { [channel = channels[0]] in channel.events.post(.device($0)) }
        audio?.setEventHandler { [channel = channels[0]] in channel.events.post(.session($0)) }
        loop.dump = dump
        var writers: [any DiskWriter] = dump?.writers ?? []
        if let recorder { writers.append(recorder.writer) }
        if let capture { writers.append(capture.writer) }
        self.writers = writers
        disk = writers.isEmpty ? nil : DiskThread(name: "recorder", clients: writers)
    }

    /// Starts the threads and the device.
    public func start() throws(CallError) {
        do {
            try disk?.start()
            let started = try RealtimeThread(
                name: "media", policy: realtime ? .realtime(priority: Self.mediaPriority) : .normal,
                owning: MediaThread(loop: loop, legs: legs)
            ) { $0.run() }
            mediaPolicy = started.granted
            thread = consume started
        } catch {
            throw .resources("\(error)")
        }
        do {
            try unit.start()
        } catch {
            for channel in channels { channel.send(.hangUp(.localHangup)) }
            _ = finish()
            throw .audioUnit(error)
        }
        // Nobody waits for the sound server: the call has begun.
        audio?.activate(waitMilliseconds: 0)
    }

    /// Waits until every call is over, stops the device and closes the files.
    /// - Returns: the files that ended before their time, and why.
    public func finish() -> [(path: String, reason: String)] {
        if let running = thread.take() { running.join() }
        audio?.deactivate()
        unit.stop()
        unit.dispose()
        disk?.finish()
        return writers.compactMap { writer in writer.failureReason.map { (writer.path, $0) } }
    }
}
