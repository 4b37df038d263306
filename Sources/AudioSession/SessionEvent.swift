/// Why "the callback runs and nothing is heard".
public enum OutputSilence: String, Sendable, CaseIterable {
    /// The device or our stream is muted.
    case muted
    /// The volume of the device or of our stream is zero.
    case zeroVolume = "zero_volume"
    /// The sound server has the device asleep or taken from us.
    case suspended
    /// The silent switch is on, and the category obeys it.
    case silentSwitch = "silent_switch"
}

/// Who took the audio away.
public enum InterruptionCause: Sendable, Equatable {
    /// The program said so: an alarm, another call.
    case program(String)
    /// Another session of this library that wants no other sound beside it.
    case otherSession(process: Int)
}

/// What a session tells while it is active. Delivered on the session's own thread.
public enum SessionEvent: Sendable, Equatable {
    case routeChanged(RouteChange)
    case portAdded(AudioPort)
    case portRemoved(AudioPort)
    /// The same port with another name, kind, rate or channel count.
    case portChanged(AudioPort)
    case outputSilent(OutputSilence, port: AudioPort)
    case outputAudible(port: AudioPort)
    /// The units are stopped.
    case interruptionBegan(InterruptionCause)
    /// The session is active again, and units that ran run again, if `shouldResume`.
    case interruptionEnded(shouldResume: Bool)
    /// The sound server is gone; it is looked for until it is back.
    case serverLost(reason: String)
    case serverBack
}

/// What a session cannot do here, and why.
public enum SessionLimit: Error, Sendable, Equatable {
    /// Needs a sound server; without one a device is one program's, and there is nobody to ask.
    case needsSoundServer(String, reason: String)
    /// There is no port of that kind or id.
    case noSuchPort(String)
    /// The values in force are known only while active.
    case notActive
    /// A preference that no device could have.
    case outOfRange(String, allowed: String)
}

extension SessionLimit: CustomStringConvertible {
    public var description: String {
        switch self {
        case .needsSoundServer(let what, let reason):
            "\(what) needs a sound server (PulseAudio or PipeWire), and there is none: \(reason)"
        case .noSuchPort(let port): "there is no port \(port); `yodel devices` lists them"
        case .notActive: "the session is not active: activate it first"
        case .outOfRange(let what, let allowed): "\(what) must be \(allowed)"
        }
    }
}
