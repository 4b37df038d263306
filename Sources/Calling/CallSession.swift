import AudioUnits
import Network
import Realtime
import Reporting

/// A live call: device, unit, rings, socket and media thread, joined and started together, ended together.
///
/// The device and the unit come from the caller, so that the same session runs on a sound card and in a simulated room.
public final class CallSession {
    /// Priority of the media thread, below the device threads and the sound server.
    public static let mediaPriority = 2
    /// Priority asked for the device's threads.
    public static let devicePriority = 3

    /// Commands, events and figures.
    public let channel: CallChannel
    /// The I/O unit between the call and the device.
    public let unit: any InputOutputUnit
    /// The media thread's granted scheduling; `nil` before the start.
    public private(set) var mediaPolicy: ThreadPolicy?

    private let endpoint: AudioEndpoint
    private let recorder: Recorder?
    private let dump: SignalDump?
    private let signals: SignalThread?
    private var thread: RealtimeThread?
    private let transport: MediaTransport
    private let realtime: Bool
    private let loop: MediaLoop
    private let call: Call

    /// Joins everything; nothing runs yet.
    /// - Parameters:
    ///   - unit: not initialized yet.
    ///   - transport: bound socket(s) of the call.
    ///   - port: wraps the socket when the network is to be impaired; `nil` sends straight to it.
    ///   - recordPath: stereo recording of the call.
    ///   - capturePath: capture of the call's packets (pcapng).
    ///   - dumpFolder: where every internal signal goes, in a folder `dumpSide` of it if that is given.
    ///   - realtime: ask for real-time priority.
    public init(
        configuration: CallConfiguration, unit: any InputOutputUnit, transport: MediaTransport,
        port: (any PacketPort)? = nil, recordPath: String? = nil, capturePath: String? = nil, dumpFolder: String? = nil,
        dumpSide: String? = nil, realtime: Bool = true
    ) throws(CallError) {
        let now = HostTime.monotonicNow()
        self.unit = unit
        self.transport = transport
        self.realtime = realtime
        do {
            channel = try CallChannel()
        } catch {
            throw .resources("\(error)")
        }
        let capture: CallCapture? =
            if let capturePath {
                try CallCapture(path: capturePath, configuration: configuration, transport: transport)
            } else { nil }
        call = try Call(
            configuration: configuration, port: port ?? SocketPort(transport, capture: capture), now: now)
        if let dumpFolder {
            dump = try SignalDump(
                folder: dumpFolder, side: dumpSide, sampleRate: call.sampleRate, unit: unit, now: now)
        } else {
            dump = nil
        }
        recorder = if let recordPath { try Recorder(path: recordPath, sampleRate: call.sampleRate) } else { nil }
        endpoint = try AudioEndpoint(unit: unit, sampleRate: call.sampleRate, frameLength: call.frameLength)
        loop = MediaLoop(endpoint: endpoint, frameLength: call.frameLength)
        loop.add(call)
        loop.recorder = recorder
        loop.capture = capture
        unit.device.setEventHandler { [channel] in channel.events.post(.device($0)) }
        loop.dump = dump
        var writers: [any DiskWriter] = dump?.writers ?? []
        if let recorder { writers.append(recorder.writer) }
        if let capture { writers.append(capture.writer) }
        signals = writers.isEmpty ? nil : SignalThread(writers: writers)
    }

    /// Starts the threads and the device.
    public func start() throws(CallError) {
        do {
            try signals?.start()
            let started = try RealtimeThread(
                name: "media", policy: realtime ? .realtime(priority: Self.mediaPriority) : .normal,
                owning: MediaThread(loop: loop, call: call, transport: transport, channel: channel)
            ) { $0.run() }
            mediaPolicy = started.granted
            thread = consume started
        } catch {
            throw .resources("\(error)")
        }
        do {
            try unit.start()
        } catch {
            channel.send(.hangUp(.localHangup))
            _ = finish()
            throw .audioUnit(error)
        }
    }

    /// Waits until the call is over, stops the device and closes the files.
    /// - Returns: the files that ended before their time, and why.
    public func finish() -> [(path: String, reason: String)] {
        if let running = thread.take() { running.join() }
        unit.stop()
        unit.dispose()
        return signals?.finish() ?? []
    }
}
