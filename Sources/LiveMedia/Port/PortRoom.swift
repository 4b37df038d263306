import Media
import RTP
import Realtime

/// A conference at a port: who is in it, their mix, and the encoders of those who only listen. Where callers say how loud they are, it
/// is chosen who is heard; where they want to know, they are told who is, and how loud.
final class PortRoom {
    /// Seats of those who hear each other.
    // Confined to one thread; see SendPath.
    @exclusivity(unchecked) private(set) var seats: [Int] = []
    /// Its packet time, milliseconds.
    let milliseconds: Int
    let encoders = ConferenceEncoders()
    @exclusivity(unchecked) private var mix: ConferenceMix
    /// Numbers of levels in header extensions.
    private let levels: LevelNumbers
    /// Those of `seats`, in their order; nil where nothing is told of levels.
    @exclusivity(unchecked) private var speakers: SpeakerSelection?

    /// - Parameters:
    ///   - frameLength: samples of a frame.
    ///   - milliseconds: its length.
    ///   - levels: numbers of levels in header extensions.
    init(frameLength: Int, milliseconds: Int, levels: LevelNumbers) {
        mix = ConferenceMix(frameLength: frameLength)
        self.milliseconds = milliseconds
        self.levels = levels
        if levels.isUsed { speakers = SpeakerSelection(sampleRate: frameLength * 1000 / max(1, milliseconds)) }
    }

    func add(_ seat: Int) {
        seats.append(seat)
        speakers?.join()
    }

    func remove(_ seat: Int) {
        guard let party = seats.firstIndex(of: seat) else { return }
        seats.remove(at: party)
        speakers?.leave(party)
    }

    /// Everybody is heard.
    func hear(_ calls: [PortCall?], now: HostTime) {
        mix.begin()
        encoders.begin()
        chooseSpeakers(calls)
        for (party, seat) in seats.enumerated() {
            guard let call = calls[seat] else { continue }
            call.hearVoice(now: now)
            if speakers != nil { call.voice.withUnsafeMutableBufferPointer { speakers?.take($0, of: party) } }
            call.judgeVoice(milliseconds: Double(milliseconds))
            if call.activity.isActive { call.voice.withUnsafeBufferPointer { mix.add($0) } }
        }
    }

    /// Who is not heard is not decoded either.
    private func chooseSpeakers(_ calls: [PortCall?]) {
        guard levels.received != nil else { return }
        speakers?.choose(milliseconds: Double(milliseconds)) { calls[seats[$0]]?.call.claimedLevel }
        for (party, seat) in seats.enumerated() { calls[seat]?.call.isDecoded = speakers?.isDecoded(party) ?? true }
    }

    /// Who is heard in the frame at hand, and how loud each is.
    /// - Parameter listener: the seat of somebody who does not hear himself; nil: of one who says nothing.
    private func heard(_ calls: [PortCall?], by listener: Int?) -> ContributingSources {
        var heard = ContributingSources()
        for (party, seat) in seats.enumerated() where seat != listener {
            guard let call = calls[seat], call.activity.isActive, let level = speakers?.level(of: party),
                let source = call.call.heardSource
            else { continue }
            heard.add(source, level: level)
        }
        return heard
    }

    /// Everybody is told what the others say. Who speaks first: an encoder that goes on where the listeners' is finds it where
    /// the last frame left it.
    /// - Parameter end: called with each when he was told.
    func say(_ calls: [PortCall?], now: HostTime, end: (_ seat: Int, _ call: PortCall) -> Void) {
        let tells = levels.sent != nil
        let common = tells ? heard(calls, by: nil) : ContributingSources()
        let seats = seats
        for seat in seats {
            guard let call = calls[seat], call.activity.isActive else { continue }
            if tells { call.call.tell(heard(calls, by: seat)) }
            call.voice.withUnsafeBufferPointer { own in mix.without(own) { call.say($0, now: now) } }
            end(seat, call)
        }
        for seat in seats {
            guard let call = calls[seat], !call.activity.isActive else { continue }
            if tells { call.call.tell(common) }
            mix.common { call.say($0, now: now, encoders: encoders) }
            end(seat, call)
        }
    }
}
