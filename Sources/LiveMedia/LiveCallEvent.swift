import AudioSession
import AudioUnits
import Media
import Metrics
import Realtime

/// What a live call tells its owner while it runs: of its media, and of the device and the session around it.
public enum LiveCallEvent: Sendable, Equatable {
    case call(CallEvent)
    /// A call is over, and its place waits for the next caller: why, and its last figures.
    case madeRoom(EndReason, CallStatistics)
    /// The first of our voice was sent, and the loudspeaker runs: when that sample was at the microphone, and when it first asked for
    /// sound; `nil`: there is none.
    case voiceStarted(captured: HostTime, playing: HostTime?)
    /// Echo control has found the room, or lost it, or something stands in its way.
    case echoState(EchoFigures)
    /// Something a person should know and can do something about.
    case warning(String)
    /// The audio device told something; the call goes on.
    case device(DeviceEvent)
    /// The audio session told something about route, ports or interruptions.
    case session(SessionEvent)
}
