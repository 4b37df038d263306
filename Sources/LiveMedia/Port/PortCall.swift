import Codecs
import Link
import Media
import Metrics
import Realtime

/// What a call at a port of many is for: where its sound comes from and where it goes.
public enum PortSound: Sendable, Equatable {
    /// Who calls hears himself.
    case echo
    /// Who calls hears the announcement of the call's configuration, and silence after it and without one.
    case announcement
    /// Those who call hear each other.
    case conference
}

/// One call at a port of many, with what joins it to the world. Made when its caller has proven himself, gone when it is over.
final class PortCall {
    /// Its number since the port was opened.
    let number: UInt64
    let call: Call
    let link: PortLink
    let began: HostTime
    /// The packet time that it has its turns by, milliseconds.
    var turnMilliseconds: Int
    /// Where in that time they lie.
    @exclusivity(unchecked) private var phase = TurnPhase()
    /// Its voice in the conference's frame at hand.
    @exclusivity(unchecked) var voice: [Float] = []
    /// Whether the others of a conference are to hear it.
    @exclusivity(unchecked) private(set) var activity = VoiceActivity()
    /// The conference it is in.
    var room = 0
    let recording: PortRecording?
    @exclusivity(unchecked) private var gate = CallEventGate()

    init(
        number: UInt64, configuration: CallConfiguration, link: PortLink, recording: PortRecording?, now: HostTime
    ) throws(CodecError) {
        self.number = number
        self.link = link
        self.recording = recording
        began = now
        call = try Call(configuration: configuration, link: link, now: now)
        turnMilliseconds = max(1, call.frameLength * 1000 / call.sampleRate)
    }

    /// The call by whose seed no other one's source, sequence and time stamps can be told.
    static func configuration(_ common: CallConfiguration, number: UInt64) -> CallConfiguration {
        var configuration = common
        // Mixed: streams of neighbouring seeds would be parts of each other.
        var random = SplitMix64(seed: common.seed &+ number &+ 1)
        configuration.seed = random.next()
        configuration.stream.canonicalName = "yodel-" + String(configuration.seed & 0xffff_ffff, radix: 36)
        return configuration
    }

    /// By how many slots its turns are to move, as `TurnPhase` has it.
    func slotsToMove(now: HostTime) -> Int {
        phase.slots(spare: call.spareMilliseconds, packetMilliseconds: turnMilliseconds, now: now)
    }

    /// The first half of a turn: hears a frame. `frame` is room for it, kept by the loop.
    func hear(into frame: inout [Float], now: HostTime) {
        prepare(&frame)
        _ = frame.withUnsafeMutableBufferPointer { call.hear(frame: $0, now: now) }
        recording?.heard(frame)
    }

    /// The other half: says a frame.
    /// - Parameter encoders: those of others who are said silence too.
    func answer(_ sound: PortSound, _ frame: inout [Float], now: HostTime, encoders: ConferenceEncoders?) {
        if sound != .echo { frame.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
        let shared = sound == .announcement ? encoders : nil
        let said = frame.withUnsafeBufferPointer { call.say($0, now: now, encoders: shared) }
        recording?.said(said)
    }

    /// Hears the frame that the others of a conference are to hear.
    func hearVoice(now: HostTime) {
        prepare(&voice)
        _ = voice.withUnsafeMutableBufferPointer { call.hear(frame: $0, now: now) }
        recording?.heard(voice)
    }

    /// Whether the frame, of so many milliseconds, is somebody's voice.
    func judgeVoice(milliseconds: Double) {
        _ = voice.withUnsafeBufferPointer { activity.note($0, milliseconds: milliseconds) }
    }

    private func prepare(_ frame: inout [Float]) {
        if frame.count != call.frameLength { frame = [Float](repeating: 0, count: call.frameLength) }
    }

    /// Says what all others of a conference say; `encoders`: of those who are sent the same.
    func say(_ frame: UnsafeBufferPointer<Float>, now: HostTime, encoders: ConferenceEncoders? = nil) {
        let said = call.say(frame, now: now, encoders: encoders)
        recording?.said(said)
    }

    /// What has happened; what the other side could cause without end is limited.
    func takeEvents(now: HostTime) -> [CallEvent] {
        call.takeEvents().filter { gate.admit(.call($0), at: now) }
    }

    func takeNotices(now: HostTime) -> [LiveCallEvent] { gate.takeNotices(at: now) }

    /// The figures of the call, as a report has them.
    var figures: CallStatistics { call.statistics }
}
