import AudioSession
import AudioUnits
import Reporting

/// What a call tells its owner while it runs.
public enum CallEvent: Sendable, Equatable {
    /// The first valid media packet of the other side came.
    case mediaStarted
    /// The other side's stream changed its SSRC in mid-call.
    case sourceChanged(from: UInt32, to: UInt32)
    /// The jitter buffer began anew, for that reason.
    case bufferReset(reason: String)
    /// The other side pressed a key.
    case digitReceived(Character, durationMilliseconds: Double)
    /// Echo control has found the room, or lost it, or something stands in its way.
    case echoState(EchoFigures)
    /// Something a person should know and can do something about.
    case warning(String)
    /// The audio device told something; the call goes on.
    case device(DeviceEvent)
    /// The audio session told something about route, ports or interruptions.
    case session(SessionEvent)
    /// The call is over.
    case ended(EndReason)
}
