import Media
import Realtime

/// A conference at a port: who is in it, their mix, and the encoders of those who only listen.
final class PortRoom {
    /// Seats of those who hear each other.
    private(set) var seats: [Int] = []
    /// Its packet time, milliseconds.
    let milliseconds: Int
    let encoders = ConferenceEncoders()
    private var mix: ConferenceMix

    /// - Parameters:
    ///   - frameLength: samples of a frame.
    ///   - milliseconds: its length.
    init(frameLength: Int, milliseconds: Int) {
        mix = ConferenceMix(frameLength: frameLength)
        self.milliseconds = milliseconds
    }

    func add(_ seat: Int) { seats.append(seat) }
    func remove(_ seat: Int) { seats.removeAll { $0 == seat } }

    /// Everybody is heard.
    func hear(_ calls: [PortCall?], now: HostTime) {
        mix.begin()
        encoders.begin()
        for seat in seats {
            guard let call = calls[seat] else { continue }
            call.hearVoice(now: now, milliseconds: Double(milliseconds))
            if call.activity.isActive { call.voice.withUnsafeBufferPointer { mix.add($0) } }
        }
    }

    /// Everybody is told what the others say. Who speaks first: an encoder that goes on where the listeners' is finds it where
    /// the last frame left it.
    func say(_ calls: [PortCall?], now: HostTime) {
        for seat in seats {
            guard let call = calls[seat], call.activity.isActive else { continue }
            call.voice.withUnsafeBufferPointer { own in mix.without(own) { call.say($0, now: now) } }
        }
        for seat in seats {
            guard let call = calls[seat], !call.activity.isActive else { continue }
            mix.common { call.say($0, now: now, encoders: encoders) }
        }
    }
}
