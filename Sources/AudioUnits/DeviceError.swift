public import AudioFiles

/// Why a device cannot be used, and what the person can do about it.
public enum DeviceError: Error, Sendable, Equatable {
    /// Another program holds it: end that one, or choose a shared device such as the sound server's.
    case busy(device: String)
    /// It was unplugged or its server ended: plug it in again; a call goes on without it until then.
    case gone(device: String)
    /// There is no such device: `yodel devices` lists what there is.
    case notFound(device: String)
    /// The sound system itself cannot be reached (no sound server, no kernel sound): start it, or use `null` or `file:`.
    case hostMissing(device: String, reason: String)
    /// The user may not open it: join the group that owns it (usually `audio`).
    case permissionDenied(device: String)
    /// It cannot run at the wanted format: choose another rate or period.
    case formatUnsupported(device: String, reason: String)
    /// It broke in a way that reopening may cure.
    case streamBroken(device: String, reason: String)
    /// A file that stands in for a device cannot be read or written.
    case file(path: String, reason: String)
    /// The device's name does not parse.
    case malformedName(name: String, reason: String)
    /// A thread or its memory could not be had.
    case noResources(reason: String)
}

extension DeviceError {
    /// A file that stands in for a device, and what is wrong with it.
    public init(_ error: AudioFileError) { self = .file(path: error.path, reason: error.reason) }
}

/// Does something with a file of a device's; what goes wrong there is the device's error.
public func withDeviceFile<Result>(
    _ body: () throws(AudioFileError) -> Result
) throws(DeviceError) -> Result {
    do { return try body() } catch { throw DeviceError(error) }
}
