import AudioDevices
import AudioSession
import AudioUnits
import LiveMedia
import Realtime
import Threads

/// A place where calls hear each other, as a browser and the call that it is the handset of: one media session without a device,
/// which begins with the first call and ends with the last. Any thread may call any function.
///
/// ```
/// browser -> jitter buffer -> frame of 20 ms -> encoder -> SIP call, and back: between the two buffers nothing waits
/// ```
///
/// Sendable: session and places are touched only under the lock; the device is constant.
public final class CallBridge: @unchecked Sendable {
    private let lock = Lock(())
    // The lock guards what follows.
    private var session: CallSession?
    private var places = 0

    /// The device at which its calls are heard too, and hear; `nil`: none.
    private let device: MediaRequest?

    public init() { device = nil }

    /// The calls of one person at one device, which is opened with the first of them.
    init(at device: MediaRequest) { self.device = device }

    var hasDevice: Bool { device != nil }

    /// Whether the call that joins next opens the device, and says into which file all of them are recorded.
    var beginsRecording: Bool { device != nil && lock.withLock { _ in session == nil } }

    /// Whether the thread that its calls share with others would serve another one in time; `nil`: there is none.
    package var keepsUp: Bool? { lock.withLock { _ in session?.keepsUp } }

    /// Takes a call in; the others hear no gap. Until the place is left, the media thread has the party's link and socket.
    func join(_ party: CallParty, _ media: MediaRequest, seed: UInt64) throws(CallError) -> BridgePlace {
        nonisolated(unsafe) let party = party
        return try lock.withLock { (_) throws(CallError) in
            let (session, channel) = try enter(party, media, seed: seed)
            places += 1
            return BridgePlace(
                self, channel: channel, device: session.unit.device, granted: session.granted, mediaPolicy: session.mediaPolicy)
        }
    }

    private func enter(
        _ party: CallParty, _ media: MediaRequest, seed: UInt64
    ) throws(CallError) -> (CallSession, CallChannel) {
        if let session { return (session, try session.add(party)) }
        if var device {
            (device.recordPath, device.device.playedFile) = (media.recordPath, media.device.playedFile)
            return try begin(party, at: device, seed: seed)
        }
        var device = media.device
        (device.input, device.output, device.sampleRate) = (.null, .null, nil)
        device.periodMilliseconds = Double(CallSession.bridgeMilliseconds)
        let session = try CallSession(
            [party], unit: try device.makeUnit(voiceProcessing: false, seed: seed), staysOpen: true, isBridge: true,
            realtime: device.realtime, loops: device.loops)
        try session.start()
        self.session = session
        return (session, session.channel)
    }

    private func begin(
        _ party: CallParty, at media: MediaRequest, seed: UInt64
    ) throws(CallError) -> (CallSession, CallChannel) {
        let audio = media.makeAudioSession()
        let unit = try media.device.makeUnit(voiceProcessing: media.voiceProcessing, seed: seed, audio: audio)
        let session = try CallSession(
            [party], unit: unit, staysOpen: true, recordPath: media.recordPath, realtime: media.device.realtime,
            loops: media.device.loops, audio: audio)
        try session.start()
        self.session = session
        return (session, session.channel)
    }

    /// Records what all of its calls say from now on, or no longer.
    fileprivate func record(to path: String?) throws(CallError) {
        try lock.withLock { (_) throws(CallError) in
            if let path { try session?.startRecording(path: path) } else { session?.stopRecording() }
        }
    }

    /// What is new about the file that is written.
    fileprivate func takeFileWarnings() -> [String] { lock.withLock { _ in session?.takeFileWarnings() ?? [] } }

    /// A call leaves; when this returns, its link and its socket are its owner's again.
    /// - Returns: what is new about the files that are written: after the last call nobody can ask any more.
    fileprivate func release(_ channel: CallChannel) -> [String] {
        lock.withLock { _ in
            session?.release(channel)
            places -= 1
            guard places == 0 else { return session?.takeFileWarnings() ?? [] }
            session?.finish()
            defer { session = nil }
            return session?.takeFileWarnings() ?? []
        }
    }
}

/// A call's place in a bridge.
final class BridgePlace: PartyPlace {
    private let bridge: CallBridge
    private let channel: CallChannel
    let device: any HardwareDevice
    let granted: [String: String]
    let mediaPolicy: ThreadPolicy?
    private var hasLeft = false
    private var isRecording = false
    /// About files, when the call left.
    private var lastWarnings: [String] = []

    fileprivate init(
        _ bridge: CallBridge, channel: CallChannel, device: any HardwareDevice, granted: [String: String],
        mediaPolicy: ThreadPolicy?
    ) {
        (self.bridge, self.channel, self.device) = (bridge, channel, device)
        (self.granted, self.mediaPolicy) = (granted, mediaPolicy)
    }

    deinit { leave() }

    var channels: [CallChannel] { [channel] }
    var audio: AudioSession? { nil }
    var playedChannels: Int? { nil }

    func takeFileWarnings() -> [String] {
        defer { lastWarnings = [] }
        return hasLeft ? lastWarnings : bridge.takeFileWarnings()
    }

    func record(to path: String?) throws(CallError) {
        guard path != nil || isRecording else { return }
        try bridge.record(to: path)
        isRecording = path != nil
    }

    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        try? record(to: nil)
        lastWarnings = bridge.release(channel)
    }
}
