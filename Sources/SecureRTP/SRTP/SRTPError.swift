/// Why SRTP cannot be set up.
public enum SRTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The SRTP library is missing or too old; what to install.
    case libraryMissing(String)
    /// The library refused the key; its status.
    case refused(status: Int)

    public var description: String {
        switch self {
        case .libraryMissing(let what): what
        case .refused(let status): "the SRTP library refused the key (status \(status))"
        }
    }
}
