/// What webhooks may be told of: the types of all that the service tells its subscribers.
package enum WebhookEvents {
    /// Neither figures, which are asked for, nor what each stream of events has for itself: `snapshot`, `gap`.
    package static let all = ofCalls + ofService

    private static let ofCalls: [String] = [
        "call_started", "media_started", "route_changed", "device_lost", "device_back", "ssrc_changed", "remote_changed",
        "buffer_reset", "codec_changed", "xrun", "echo_state", "dtmf", "warning", "call_ended", "call_incoming",
        "call_progress", "call_answered", "negotiated", "ice", "secured", "call_held", "call_resumed", "transfer_requested",
        "transfer_progress", "call_transferred", "calls_joined", "report", EventText.callCreated,
        EventText.callRecordingStarted, EventText.callRecordingEnded,
        EventText.callAudio, EventText.callMuted, EventText.callUnmuted, EventText.voiceMessage,
        ProgramCall.News.connected.rawValue, ProgramCall.News.lost.rawValue, ProgramCall.News.missed.rawValue,
    ]

    private static let ofService: [String] = [
        "registration", "message", "message_sent", "mwi", "conference_created", "conference_changed", "conference_ended",
        "rules_changed", "reloaded", "reload_failed", "draining",
    ]
}
