import Codecs

/// Something that a replay of a stream's capture must know, and that may change while the stream runs.
public enum StreamChange: Sendable, Equatable {
    /// Linear gain of what is heard; 0 while nothing is to be heard, as on hold.
    case gain(Float)
    /// Formats that may come; at least one.
    case formats([MediaFormat])
    /// Whether the other side is to send, or need not, as on hold.
    case expectsMedia(Bool)
    /// The call is over: nothing that comes later is heard.
    case ended

    /// As a capture keeps it: `key=value`.
    package var captured: String {
        switch self {
        case .gain(let gain): "gain=\(gain)"
        case .formats(let formats): "formats=" + formats.map(\.captured).joined(separator: ", ")
        case .expectsMedia(let isExpected): "media=" + (isExpected ? "expected" : "optional")
        case .ended: "state=ended"
        }
    }

    /// Out of a capture; `nil`: it says nothing that is known here, or nothing that can be.
    /// - Parameter text: `key=value`.
    package init?(captured text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "gain":
            guard let gain = Float(parts[1]), gain.isFinite else { return nil }
            self = .gain(gain)
        case "formats":
            let formats = [MediaFormat](captured: parts[1])
            guard !formats.isEmpty else { return nil }
            self = .formats(formats)
        case "media":
            guard ["expected", "optional"].contains(parts[1]) else { return nil }
            self = .expectsMedia(parts[1] == "expected")
        case "state":
            guard parts[1] == "ended" else { return nil }
            self = .ended
        default: return nil
        }
    }
}

/// What has been told of a stream so far, so that only news is told.
struct StreamChanges {
    private var gain: Float = 1
    private var formats: [MediaFormat] = []
    private var expectsMedia = true
    private var isOver = false

    /// Tells what is another than the last time.
    /// - Parameters:
    ///   - call: whose stream it is.
    ///   - tell: gets each change.
    mutating func look(at call: Call, _ tell: (StreamChange) -> Void) {
        guard !isOver else { return }
        let stream = call.stream
        // What it began with stands in the capture's settings.
        if formats.isEmpty { formats = stream.configuration.receivedFormats }
        if stream.receivedFormats != formats {
            formats = stream.receivedFormats
            tell(.formats(formats))
        }
        if stream.gain != gain {
            gain = stream.gain
            tell(.gain(gain))
        }
        if stream.expectsMedia != expectsMedia, !call.state.isEnded {
            expectsMedia = stream.expectsMedia
            tell(.expectsMedia(expectsMedia))
        }
        // A place that waits for callers may get another one, who is in the same capture.
        if call.state.isEnded, !call.configuration.policy.waitsForCaller {
            isOver = true
            tell(.ended)
        }
    }
}
