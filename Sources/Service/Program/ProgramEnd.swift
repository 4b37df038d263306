import AudioDevices
import Reporting

/// A program as the audio end of a call, or as one who listens: where it is, and how its sound is written.
package struct ProgramEnd: Sendable, Equatable {
    /// `nil`: it comes by itself, to the call's stream.
    let place: ProgramPlace?
    package let format: ProgramFormat
    /// What is listened to; `nil`: it talks and listens in our side's place.
    package let track: ProgramTrack?
    let policy: ProgramPolicy

    package var url: String? { place?.url }
    /// In Hz.
    package var sampleRate: Int { format.sampleRate }

    /// A program that is connected to.
    /// - Parameters:
    ///   - url: `ws://HOST[:PORT][/PATH]` or `wss://...` (RFC 6455 section 3).
    ///   - rate: in Hz; `nil` is the usual one.
    ///   - encoding: `l16` or `mulaw`; `nil` is `l16`.
    ///   - track: `nil`: it is the audio end.
    ///   - allowed: what the URL must begin with, one of them.
    ///   - policy: what becomes of a call without its program.
    ///   - prefix: of the fields in the request, for messages.
    package init(
        _ url: String, rate: Int?, encoding: String? = nil, track: ProgramTrack? = nil, allowed: [String],
        policy: ProgramPolicy = ProgramPolicy(), prefix: String = "audio."
    ) throws(Problem) {
        place = try ProgramPlace(url, allowed: allowed, field: prefix + "websocket")
        format = try ProgramFormat(rate: rate, encoding: encoding, prefix: prefix)
        (self.track, self.policy) = (track, policy)
    }

    /// A program that comes by itself.
    /// - Parameter track: `nil`: it is the audio end.
    package init(
        rate: Int?, encoding: String?, track: ProgramTrack? = nil, policy: ProgramPolicy = ProgramPolicy(), prefix: String = ""
    ) throws(Problem) {
        place = nil
        format = try ProgramFormat(rate: rate, encoding: encoding, prefix: prefix)
        (self.track, self.policy) = (track, policy)
    }

    package var json: JSONValue {
        var members = [place.map { JSONMember("websocket", .string($0.url)) } ?? JSONMember("stream", .boolean(true))]
        members += format.members
        if let track { members.append(JSONMember("track", .string(track.rawValue))) }
        return members.object
    }

    var name: String { place.map { "\($0.host):\($0.port)" } ?? "the call's stream" }
}

/// What becomes of a call whose program is not there.
package struct ProgramPolicy: Sendable, Equatable {
    /// The call ends when the program has been away for so long, s; 0: it never does for that.
    package var patienceSeconds = 0
    /// What the call hears meanwhile: an audio file, again and again; `nil`: silence.
    package var announcement: String?

    package init(patienceSeconds: Int = 0, announcement: String? = nil) {
        (self.patienceSeconds, self.announcement) = (patienceSeconds, announcement)
    }
}
