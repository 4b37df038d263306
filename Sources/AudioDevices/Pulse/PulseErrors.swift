import AudioUnits
import CPulse

/// What libpulse's error codes mean to a person.
package enum PulseErrors {
    /// There is no memory for a connection.
    static let noMemory = DeviceError.noResources(reason: "no memory for a connection to the sound server")

    /// The error of a connection that failed.
    /// - Parameters:
    ///   - code: `PA_ERR_...`.
    ///   - reason: the server's own words.
    ///   - device: as it was named.
    package static func connecting(_ code: Int, _ reason: String, device: String) -> DeviceError {
        switch UInt32(truncatingIfNeeded: code) {
        case PA_ERR_ACCESS.rawValue, PA_ERR_AUTHKEY.rawValue: .permissionDenied(device: device)
        default: .hostMissing(device: device, reason: reason)
        }
    }

    /// The error of a stream that a server which was reached refused, or ended.
    /// - Parameters:
    ///   - code: `PA_ERR_...`.
    ///   - reason: the server's own words.
    ///   - device: as it was named.
    package static func opening(_ code: Int, _ reason: String, device: String) -> DeviceError {
        switch UInt32(truncatingIfNeeded: code) {
        case PA_ERR_NOENTITY.rawValue: .notFound(device: device)
        case PA_ERR_ACCESS.rawValue: .permissionDenied(device: device)
        case PA_ERR_BUSY.rawValue: .busy(device: device)
        case PA_ERR_INVALID.rawValue, PA_ERR_NOTSUPPORTED.rawValue: .formatUnsupported(device: device, reason: reason)
        case PA_ERR_TOOLARGE.rawValue: .noResources(reason: reason)
        case PA_ERR_KILLED.rawValue: .gone(device: device)
        default: .streamBroken(device: device, reason: reason)
        }
    }
}
