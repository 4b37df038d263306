import AudioFiles
import Codecs
import LiveMedia
import Media
import RTP
import Realtime
import Softphone
import Synchronization

/// A port of many calls and those who call it, in virtual time: what a call costs and does, without sockets, threads and waits.
package final class VirtualPort {
    /// What is carried.
    package struct Work: Sendable {
        /// What becomes of the callers' sound.
        package var sound = PortSound.echo
        package var codec: Codec
        /// How both sides encode; its packet time is everybody's.
        package var settings: EncoderSettings
        package var calls: Int
        /// Whether each call is recorded, into files that are gone with the port.
        package var isRecorded = false
        /// A file of what callers say; `nil`: made by numbers.
        package var speech: String?
        /// Greatest time of a packet on its way, in milliseconds, and share of packets that never come.
        package var jitterMilliseconds = 0.0
        package var loss = 0.0
        package var seed: UInt64 = 1

        package init(codec: Codec, calls: Int) {
            (self.codec, self.calls) = (codec, calls)
            settings = EncoderSettings(frameMilliseconds: codec.defaultFrameMilliseconds)
        }
    }

    /// What callers say repeats after so long.
    private static let speechSeconds = 5.0

    /// The time that passes.
    private final class Time: Sendable {
        private let nanoseconds = Atomic<Int64>(1_000_000_000)
        private let wallOffset = Atomic<Int64>(1_700_000_000_000_000_000)
        /// Of the day, in nanoseconds since 1970.
        var wall: Int64 { now.nanoseconds &+ wallOffset.load(ordering: .relaxed) }
        func setWall(forwardBy change: Int64) { wallOffset.wrappingAdd(change, ordering: .relaxed) }
        var now: HostTime {
            get { HostTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
            set { nanoseconds.store(newValue.nanoseconds, ordering: .relaxed) }
        }
    }

    private let time: Time
    private let callers: VirtualCallers
    private var turns: PortTurns
    private let recordings: PassingFolder?
    private var nextWriting = HostTime.zero

    /// - Throws: what the codec has against its settings, or a lack of descriptors or of room for recordings.
    package init(_ work: Work) throws {
        let time = Time()
        self.time = time
        recordings = work.isRecorded ? try PassingFolder() : nil
        let speech = try LoadSpeech(work.codec, work.settings, path: work.speech, seed: work.seed, seconds: Self.speechSeconds)
        callers = VirtualCallers(
            work.calls, speech, payloadType: work.codec.defaultPayloadType, clockRate: work.codec.rtpClockRate(),
            line: .init(jitterMilliseconds: work.jitterMilliseconds, loss: work.loss),
            start: time.now.advanced(byMilliseconds: 10), seed: work.seed)
        var configuration = CallConfiguration(codec: work.codec, seed: work.seed)
        configuration.stream.encoder = work.settings
        configuration.stream.echoes = work.sound == .echo
        configuration.policy.waitsForCaller = true
        var plan = PortPlan(configuration: configuration, parties: work.calls, sound: work.sound)
        plan.loops = 1
        plan.recordingFolder = recordings?.path
        turns = try PortTurns(
            plan, port: callers,
            clock: PortClock(now: { time.now }, ntp: { NTPTime(unixNanoseconds: time.wall) }))
    }

    /// What is known of the port, at most a second old.
    package var figures: PortFigures { turns.latestFigures }
    /// Where calls are recorded; nil: nowhere.
    package var recordingFolder: String? { recordings?.path }
    /// Why a recording takes no more; nil: each does.
    package var recordingFailure: String? { turns.recordingFailure }
    /// Media packets that came, and that were sent back.
    package var packetsReceived: Int { callers.statistics.received }
    package var packetsSent: Int { callers.statistics.sent }
    /// RTCP packets of the port.
    package var reportsSent: Int { callers.reports }
    /// The caller who heard least: so many packets.
    package var fewestHeard: Int { callers.fewestHeard }
    /// Whether the callers still speak.
    package var isSpeaking: Bool {
        get { callers.isSpeaking }
        set { callers.isSpeaking = newValue }
    }

    /// Lets time pass, with the turns that the port has in it; a look every 5 ms while nobody calls.
    /// - Parameters:
    ///   - milliseconds: how much.
    ///   - turn: steps the turn that it is given; whoever measures does it before and after.
    package func run(milliseconds: Double, _ turn: (() -> Void) -> Void = { $0() }) {
        let end = time.now.advanced(byMilliseconds: milliseconds)
        while time.now < end {
            let now = time.now
            time.now = max(now, turns.nextTurn ?? now.advanced(byMilliseconds: TickWheel.usualMilliseconds))
            turn { turns.turn() }
            turns.lookAfter()
            writeRecordings()
        }
    }

    /// What threads do at a port with sockets, as often.
    private func writeRecordings() {
        guard time.now >= nextWriting else { return }
        nextWriting = time.now.advanced(byMilliseconds: PortTurns.writingMilliseconds)
        turns.writeRecordings()
    }

    /// The machine stands still for so long, while callers go on.
    package func standStill(milliseconds: Double) { time.now = time.now.advanced(byMilliseconds: milliseconds) }

    /// Somebody sets the machine's clock.
    package func setWallClock(forwardBySeconds seconds: Double) { time.setWall(forwardBy: Int64(seconds * 1e9)) }

    /// What each call's jitter buffer holds back, in milliseconds; of calls that have heard something.
    package var bufferDelays: [Double] { turns.statistics.compactMap(\.ledger.jitterBuffer) }
    /// What each of them asks for, in milliseconds.
    package var bufferTargets: [Double] { turns.statistics.compactMap(\.bufferTargetMilliseconds) }
    /// What each call last knew of the round trip, in milliseconds.
    package var roundTrips: [Double] { turns.statistics.compactMap(\.roundTripMilliseconds) }

    /// What has happened since the last time, oldest first.
    package func takeEvents() -> [PortEvent] { turns.takeEvents() }
}
