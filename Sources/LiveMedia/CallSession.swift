import AudioFiles
import AudioSession
import AudioUnits
import Link
import Media
import Network
import Realtime
import Threads

/// One other side of a session: what its call is made of, and how its packets travel.
public struct CallParty {
    public let configuration: CallConfiguration
    /// Bound socket(s) of the call, the lowest layer of `link`.
    public let socket: UDPLink
    /// What the call's packets pass.
    public let link: any PacketLink

    /// The place at a shared port that the next caller takes when the call is over; `nil`: the party is there once.
    let place: SharedLink?
    let allow: [CIDR]
    /// Other addresses of the socket's peer.
    public let alternatives: [SocketAddress]

    /// - `link`: stands on `socket`.
    public init(configuration: CallConfiguration, socket: UDPLink, link: any PacketLink) {
        self.configuration = configuration
        self.socket = socket
        self.link = link
        place = nil
        allow = []
        alternatives = []
    }

    /// Plain RTP, whose source is learnt.
    /// - `alternatives`: other addresses of the socket's peer, tried where nothing arrives.
    /// - `allow`: who may be the other side besides the socket's peer; empty: anyone, if it has none.
    public init(
        configuration: CallConfiguration, socket: UDPLink, alternatives: [SocketAddress] = [], allow: [CIDR] = []
    ) {
        self.configuration = configuration
        self.socket = socket
        link = LatchingLink(over: socket, alternatives: alternatives, allow: allow, seed: configuration.seed)
        place = nil
        self.allow = []
        self.alternatives = alternatives
    }

    /// Plain RTP at a port that several callers share. When the call is over the place waits for the next caller.
    /// - `place`: stands on `socket`.
    public init(configuration: CallConfiguration, socket: UDPLink, place: SharedLink, allow: [CIDR] = []) {
        self.configuration = configuration
        self.socket = socket
        self.place = place
        self.allow = allow
        alternatives = []
        link = LatchingLink(over: place, allow: allow, seed: configuration.seed)
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

    /// Commands, events and figures of each party that is or was there, in the order they came, but for those that were released;
    /// what concerns the device is told with the first of them.
    public var channels: [CallChannel] { present.all }
    /// That of the party that was there first.
    public let channel: CallChannel
    /// The I/O unit between the call and the device.
    public let unit: any InputOutputUnit
    /// The session `unit` is attached to; active as long as the call is.
    public let audio: AudioSession?
    /// The media thread's granted scheduling; `nil` before the start.
    public private(set) var mediaPolicy: ThreadPolicy?

    private let endpoint: AudioEndpoint
    private let recorder: Recorder?
    /// Where a recording that begins later is put in.
    package let recorderSlot = RecorderSlot()
    var recording: RunningRecording?
    let sampleRate: Int
    private let dump: SignalDump?
    private let writers: [any DiskWriter]
    var warnings: FileWarnings
    private let disk: DiskThread?
    private var thread: RealtimeThread?
    /// Where the session is if it has no thread.
    private let shared: (loop: SessionLoop, device: any DeviceTurns)?
    /// Rung when the loop has let go of it; nil: it was never there.
    private var gone: Bell?
    /// What the thread of its media waits for.
    private let bell: Bell
    /// The first parties, until the media thread has them.
    private var legs: [CallLeg]
    private let present: PartyList
    private let door: SessionDoor
    private let realtime: Bool
    private let loop: MediaLoop

    /// Joins everything; nothing runs yet.
    /// - `unit`: not initialized yet.
    /// - `party`: the other side.
    /// - `recordPath`: stereo recording of the call.
    /// - `capturePath`: capture of the call's packets (pcapng).
    /// - `capturesDecrypted`: whether it has them as the call sees them where they are encrypted on the wire.
    /// - `dumpFolder`: where every internal signal goes, in a folder `dumpSide` of it if that is given.
    /// - `realtime`: ask for real-time priority.
    /// - `audio`: the session `unit` is attached to; active as long as the call is.
    public convenience init(
        _ party: CallParty, unit: any InputOutputUnit, recordPath: String? = nil, capturePath: String? = nil,
        capturesDecrypted: Bool = false, dumpFolder: String? = nil,
        dumpSide: String? = nil, realtime: Bool = true, audio: AudioSession? = nil
    ) throws(CallError) {
        try self.init(
            [party], unit: unit, recordPath: recordPath, capturePath: capturePath, capturesDecrypted: capturesDecrypted,
            dumpFolder: dumpFolder, dumpSide: dumpSide,
            realtime: realtime, audio: audio)
    }

    /// The same with one party or several, each with a codec and packet length of its own.
    ///
    /// The device has the rate of the parties, or 48 kHz where they differ.
    /// - `staysOpen`: whether parties may come while the session runs (`add`). It then goes on until `finish` also without any; a
    ///   party whose call is over leaves and frees its socket; the device has 48 kHz, since nobody knows who will come.
    /// - `isConference`: whether several parties hear each other, or each only us.
    /// - `isBridge`: whether the parties have each other in the place of the device, which keeps time and should have a period of
    ///   20 ms (`bridgeMilliseconds`).
    /// - `capturePath`: capture of the first party's packets.
    /// - `capturesDecrypted`: whether it has them as the call sees them where they are encrypted on the wire.
    /// - `captureBytes`: what the capture may have at most. A bounded one is kept in case it is wanted: where it cannot be made the
    ///   session goes without. `nil` is one that somebody asked for.
    /// - `playoutChannels`: 2 plays each party of a conference from a direction of its own.
    /// - `loops`: whose threads it shares if its device lets others move it; `nil`: it has threads of its own.
    public init(
        _ parties: [CallParty], unit: any InputOutputUnit, staysOpen: Bool = false, isConference: Bool = true,
        isBridge: Bool = false, playoutChannels: Int = 1, recordPath: String? = nil, capturePath: String? = nil,
        capturesDecrypted: Bool = false, captureBytes: Int? = nil, dumpFolder: String? = nil, dumpSide: String? = nil,
        realtime: Bool = true, loops: SessionLoops? = nil, audio: AudioSession? = nil
    ) throws(CallError) {
        precondition(!parties.isEmpty, "a session has somebody to talk to")
        let now = HostTime.monotonicNow()
        self.unit = unit
        self.realtime = realtime
        self.audio = audio
        let shared = loops.flatMap { loops in
            unit.device.takeTurns().map { (loop: loops.next(realtime: realtime), device: $0) }
        }
        self.shared = shared
        let bell = shared?.loop.bell ?? Bell()
        self.bell = bell
        let capture = try Self.capture(
            parties[0], path: capturePath, isDecrypted: capturesDecrypted, bytes: captureBytes)
        var legs: [CallLeg] = []
        for (index, party) in parties.enumerated() {
            var link = party.link
            if index == 0, let capture { link = capture.watch(link, isDecrypted: capturesDecrypted) }
            let channel: CallChannel
            do { channel = try CallChannel(bell: bell) } catch { throw .resources("\(error)") }
            do {
                legs.append(try CallLeg(party, link: link, channel: channel, now: now))
            } catch {
                throw .codec(error)
            }
        }
        self.legs = legs
        let present = PartyList(legs.map(\.channel))
        self.present = present
        channel = legs[0].channel
        door = SessionDoor(
            staysOpen: staysOpen, parties: legs.count,
            mostParties: playoutChannels == 2 ? HeadsetMixer.maximumParties : .max)
        let (rate, frameLength) =
            isBridge ? Self.bridgeFormat : staysOpen ? Self.mixedFormat : Self.format(of: legs.map(\.call))
        sampleRate = rate
        if let dumpFolder {
            dump = try SignalDump(folder: dumpFolder, side: dumpSide, sampleRate: rate, unit: unit, now: now)
        } else {
            dump = nil
        }
        recorder = if let recordPath { try Recorder(path: recordPath, sampleRate: rate) } else { nil }
        endpoint = try AudioEndpoint(
            unit: unit, sampleRate: rate, frameLength: frameLength, playoutChannels: playoutChannels, plays: !isBridge,
            isStepped: shared != nil, bell: shared == nil ? bell : Bell())
        if isBridge {
            loop = MediaLoop(bridgeAt: endpoint.end, frameLength: frameLength)
        } else if !isConference || (legs.count == 1 && !staysOpen) {
            loop = MediaLoop(device: endpoint.end, frameLength: frameLength)
        } else {
            let headset: HeadsetMixer? =
                if playoutChannels == 2 {
                    try HeadsetMixer(sampleRate: rate, block: MediaLoop.block(of: endpoint.end))
                } else { nil }
            loop = MediaLoop(conferenceAt: endpoint.end, frameLength: frameLength, headset: headset)
        }
        do throws(MediaLoopError) {
            for leg in legs { try loop.add(leg.call) }
        } catch {
            throw .conference(error)
        }
        let taps: [(any MediaTap)?] = [recorder, dump, capture, recorderSlot]
        loop.taps = taps.compactMap(\.self)
        unit.device.setEventHandler { present.first?.events.post(.device($0)) }
        audio?.setEventHandler { present.first?.events.post(.session($0)) }
        var writers: [any DiskWriter] = dump?.writers ?? []
        if let recorder { writers.append(recorder.writer) }
        if let capture { writers.append(capture.writer) }
        self.writers = writers
        warnings = FileWarnings(writers.map(\.health))
        disk = writers.isEmpty ? nil : DiskThread(name: "recorder", clients: writers)
    }

    private static func capture(
        _ party: CallParty, path: String?, isDecrypted: Bool, bytes: Int?
    ) throws(CallError) -> CallCapture? {
        guard let path else { return nil }
        let isEncrypted = !isDecrypted && party.link.encryptingLayer != nil
        func make(_ mostBytes: Int) throws(CallError) -> CallCapture {
            try CallCapture(
                path: path, configuration: party.configuration, socket: party.socket, isEncrypted: isEncrypted,
                mostBytes: mostBytes)
        }
        guard let bytes else { return try make(.max) }
        return try? make(bytes)
    }

    /// The rate at which a device serves `calls`, and the frames taken from it: those of the calls where all agree, so that nothing
    /// is converted; elsewhere 48 kHz and the 10 ms that every packet length is a multiple of.
    private static func format(of calls: [Call]) -> (rate: Int, frameLength: Int) {
        let first = calls[0]
        let agrees = calls.allSatisfy { $0.sampleRate == first.sampleRate && $0.frameLength == first.frameLength }
        return agrees ? (first.sampleRate, first.frameLength) : mixedFormat
    }

    private static let mixedFormat = (rate: 48_000, frameLength: 480)

    /// What a bridge goes by, in milliseconds: the packets that nearly everybody sends, so that they pass as they come.
    public static let bridgeMilliseconds = 20
    private static let bridgeFormat = (rate: 48_000, frameLength: 48 * bridgeMilliseconds)

    /// Takes another party into the running session; for the thread that owns it. The others hear no gap.
    ///
    /// Its socket is the session's from now on and is closed when its call is over: `party` must not be kept.
    /// - Returns: its commands, events and figures. Its last event is `ended`.
    /// - Throws: `conference` if the session does not stay open, is over, or has no room; `codec`, `resources`.
    public func add(_ party: CallParty) throws(CallError) -> CallChannel {
        let channel: CallChannel
        do { channel = try CallChannel(bell: bell) } catch { throw .resources("\(error)") }
        let leg: CallLeg
        do { leg = try CallLeg(party, link: party.link, channel: channel, now: .monotonicNow()) } catch { throw .codec(error) }
        do { try door.enter(leg) } catch { throw .conference(error) }
        present.add(channel)
        bell.ring()
        return channel
    }

    /// Hangs up on a party of a running session: `ended` is its last event. The others hear no gap.
    public func remove(_ channel: CallChannel) { channel.send(.hangUp(.localHangup)) }

    /// Hangs up on a party, and waits until the media thread has let go of it, of its link and its socket, for 3 s at most; for whoever
    /// goes on using them. Once a party, of which the session keeps nothing then.
    public func release(_ channel: CallChannel) {
        remove(channel)
        // In parts: where the process stood still, its own threads have not had that time.
        for _ in 0..<30 {
            if channel.waitUntilReleased(until: .monotonicNow().advanced(byMilliseconds: 100)) { break }
        }
        present.remove(channel)
    }

    /// Starts the threads and the device.
    public func start() throws(CallError) {
        do {
            try disk?.start()
            try startTurns()
        } catch {
            disk?.finish(withinMilliseconds: Self.diskMilliseconds)
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

    /// The media begin: at a loop, or on a thread of their own.
    private func startTurns() throws(RealtimeError) {
        defer { legs = [] }
        if let shared {
            let gone = Bell()
            mediaPolicy = try shared.loop.enter(
                SeatedSession(
                    SessionTurns(loop: loop, endpoint: endpoint, legs: legs, door: door), device: shared.device,
                    periodMilliseconds: (unit.statistics.periodMicroseconds ?? 0) / 1000, gone: gone))
            self.gone = gone
        } else {
            let started = try RealtimeThread(
                name: "media", policy: realtime ? .realtime(priority: Self.mediaPriority) : .normal,
                owning: MediaThread(SessionTurns(loop: loop, endpoint: endpoint, legs: legs, door: door), bell: bell)
            ) { $0.run() }
            mediaPolicy = started.granted
            thread = consume started
        }
    }

    /// Whether a thread that others have too moves the device and carries the media.
    public var sharesThread: Bool { shared != nil }

    /// Whether the thread that it shares would serve another party in time; `nil`: it has a thread of its own.
    public var keepsUp: Bool? { shared?.loop.admits }

    /// What each party's link counted, at most 200 ms old while its call lasts.
    public var linkStatistics: [LinkStatistics] { channels.map(\.linkStatistics) }

    /// What is new about the files that are written: those that ended before their time, and those that will have gaps. For the
    /// thread that owns the session.
    public func takeFileWarnings() -> [String] { warnings.take() }

    /// A disk that hangs is not waited for longer, in milliseconds.
    private static let diskMilliseconds = 3000.0

    /// Lets nobody in any more, waits until every call is over, stops the device and closes the files. Whoever wants the calls to end
    /// hangs up before.
    /// - Returns: the files that ended before their time, and why.
    @discardableResult
    public func finish() -> [(path: String, reason: String)] {
        door.close()
        bell.ring()
        if let running = thread.take() { running.join() }
        if let gone = gone.take() { gone.waitUntilRung() }
        recorderSlot.close()
        audio?.deactivate()
        unit.stop()
        unit.dispose()
        let late = recording?.health
        stopRecording()
        if let finished = disk?.finish(withinMilliseconds: Self.diskMilliseconds) {
            for writer in writers[finished...] { writer.health.fail("the disk takes no more") }
        }
        let files = writers.map(\.health) + [late].compactMap(\.self)
        return files.compactMap { health in health.failureReason.map { (health.path, $0) } }
    }
}

/// The parties of a session that is open: the device's threads tell the first of them what concerns the device.
private final class PartyList: Sendable {
    private let channels: Lock<[CallChannel]>

    init(_ channels: [CallChannel]) { self.channels = Lock(channels) }

    var all: [CallChannel] { channels.withLock { $0 } }
    var first: CallChannel? { channels.withLock { $0.first } }
    func add(_ channel: CallChannel) { channels.withLock { $0.append(channel) } }
    func remove(_ channel: CallChannel) { channels.withLock { $0.removeAll { $0 === channel } } }
}
