/// What stands at our end of a call: who talks there, and who listens.
public struct CallSound: Sendable {
    /// Microphone and loudspeaker.
    public var device: DeviceChoice
    /// Whether the voice is processed: echo cancellation, noise suppression, gain control.
    public var voiceProcessing: Bool
    /// A file in place of the microphone, from its beginning; then silence.
    public var playPath: String?
    /// Whether that is played again and again.
    public var playsAgain = false
    /// Whether what is heard is sent back.
    public var echoes = false
    /// The calls that this one talks to, in place of a device.
    public var bridge: CallBridge?

    public init(device: DeviceChoice, voiceProcessing: Bool) {
        (self.device, self.voiceProcessing) = (device, voiceProcessing)
    }
}

extension SIPRequest {
    /// What the call is to have, or has, at our end.
    public var sound: CallSound {
        get {
            var sound = CallSound(device: media.device, voiceProcessing: media.voiceProcessing)
            (sound.playPath, sound.playsAgain) = (media.playPath, media.playsAgain)
            (sound.echoes, sound.bridge) = (echoes, bridge)
            return sound
        }
        set {
            (media.device, media.voiceProcessing) = (newValue.device, newValue.voiceProcessing)
            (media.playPath, media.playsAgain) = (newValue.playPath, newValue.playsAgain)
            (echoes, bridge) = (newValue.echoes, newValue.bridge)
        }
    }
}
