import Softphone

/// Events of the service's own; the others have the names of a call's events.
enum EventText {
    static let callCreated = "call_created"
    static let callAudio = "call_audio"
    static let voiceMessage = "voice_message"
    static let callMuted = "call_muted"
    static let callUnmuted = "call_unmuted"
    static let callRecordingStarted = "call_recording_started"
    /// Has the name of the event that tells why a recording has ended before its call.
    static let callRecordingEnded = "call_recording_ended"
}

extension Problem {
    /// Why a call could not be made.
    init(_ error: SoftphoneError) {
        switch error {
        case .request, .codec, .setting, .audioFile:
            self.init(400, "the call cannot be made as it was asked for", error.description)
        case .state: self = .conflict(error.description)
        case .device, .format:
            self.init(503, "the device cannot be used", error.description, retryAfterSeconds: 5)
        case .recording:
            self.init(503, "no recording can be made", error.description, retryAfterSeconds: 5)
        case .resources:
            self.init(503, "the machine has nothing left for a call", error.description, retryAfterSeconds: 5)
        default: self.init(500, "the call cannot be made", error.description)
        }
    }
}
