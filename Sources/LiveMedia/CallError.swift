import AudioDevices
import AudioUnits
import Codecs
import Media
import Network

/// Why a call could not be made or go on; each case says what to do about it.
public enum CallError: Error, Sendable {
    /// The device cannot be used: the device error says why and what to do.
    case device(DeviceError)
    /// The I/O unit refused its configuration.
    case audioUnit(AudioUnitError)
    /// The codec could not be set up: change its settings.
    case codec(CodecError)
    /// The network cannot be used as asked: another address, host or port.
    case network(NetworkError)
    /// The parties cannot be served by one device: another rate, or fewer of them.
    case conference(MediaLoopError)
    /// A recording or dump cannot be written: another path, or room on the disk.
    case recording(path: String, reason: String)
    /// What is asked for cannot be now: wait, or end what is in its way.
    case state(String)
    /// The media cannot be encrypted: what is missing, and what to install.
    case encryption(String)
    /// The system has no memory, descriptors or threads left.
    case resources(String)
}
