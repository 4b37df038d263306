import AudioUnits
import Codecs
import Link
import Media
import Metrics
import Network
import Realtime

/// A call of a `MediaLoop` with what joins it to the world.
final class CallLeg {
    private(set) var call: Call
    private(set) var link: any PacketLink
    let socket: UDPLink
    let channel: CallChannel
    /// Whether the next caller gets the place when the call is over.
    var takesNext: Bool
    /// Whether it was told when the first of our voice was sent.
    var hasToldStart = false
    /// What the device had counted when the call began: it runs for others too, and before somebody calls.
    var before = DeviceCounts()
    private let party: CallParty
    private var calls: UInt64 = 0

    /// - Parameter link: the party's, or one around it.
    init(_ party: CallParty, link: any PacketLink, channel: CallChannel, now: HostTime) throws(CodecError) {
        self.party = party
        self.link = link
        self.channel = channel
        socket = party.socket
        takesNext = party.place != nil
        call = try Call(configuration: party.configuration, link: link, now: now)
    }

    /// Begins anew for the next caller, as another source.
    func renew(now: HostTime) throws(CodecError) {
        guard let place = party.place else { return }
        place.reset()
        calls += 1
        var configuration = party.configuration
        // The places of one port have seeds in a row: each call of each place has its own.
        configuration.seed = configuration.seed &+ calls &* 0x9E37_79B9_7F4A_7C15
        link = LatchingLink(over: place, allow: party.allow, seed: configuration.seed)
        call = try Call(configuration: configuration, link: link, now: now)
        hasToldStart = false
    }
}

/// What a device counts for as long as it runs.
struct DeviceCounts {
    private var playoutGaps = 0
    private var playoutGapMilliseconds = 0.0
    private var captureXruns = 0
    private var playbackXruns = 0
    private var silentMilliseconds = 0.0

    init() {}

    init(_ loop: MediaLoop, _ status: DeviceStatus) {
        (playoutGaps, playoutGapMilliseconds) = (loop.playoutGaps, loop.playoutGapMilliseconds)
        (captureXruns, playbackXruns) = (status.captureXruns, status.playbackXruns)
        silentMilliseconds = status.playbackSilentMilliseconds
    }

    /// Takes what was counted before a call from what was counted till now. A device that was started anew counts anew.
    func leave(_ figures: inout CallStatistics) {
        figures.playoutGaps = figures.playoutGaps.map { max(0, $0 - playoutGaps) }
        figures.playoutGapMilliseconds = figures.playoutGapMilliseconds.map { max(0, $0 - playoutGapMilliseconds) }
        figures.xruns.capture = figures.xruns.capture.map { $0 < captureXruns ? $0 : $0 - captureXruns }
        figures.xruns.playback = figures.xruns.playback.map { $0 < playbackXruns ? $0 : $0 - playbackXruns }
        figures.xruns.silentMilliseconds = figures.xruns.silentMilliseconds.map {
            $0 < silentMilliseconds ? $0 : $0 - silentMilliseconds
        }
    }
}
