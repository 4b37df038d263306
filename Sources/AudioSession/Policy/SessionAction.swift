/// What the session's decisions ask of the world: of the sound server, of the disk, of the program.
package enum SessionAction: Sendable, Equatable {
    case setVolume(stream: UInt32, [UInt32])
    case setMute(stream: UInt32, Bool)
    case moveOutput(stream: UInt32, device: UInt32)
    case moveInput(stream: UInt32, device: UInt32)
    case selectPort(device: UInt32, port: String)
    /// The server shall remember this volume for streams that ended while they were lowered.
    case rememberVolume(restoreID: String, [UInt32])
    /// What has to be put right should we die now; stands before the changes it is about.
    case save([DuckRecord])
    /// Units stop.
    case interrupt(InterruptionCause)
    /// Units run again, or not.
    case endInterruption(shouldResume: Bool)
    /// Something came: devices that are lost need not wait for their next attempt.
    case retryDevices
    case tell(SessionEvent)
}
