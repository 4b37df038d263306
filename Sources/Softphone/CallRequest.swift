import Settings

/// A call that somebody wants: with whom, and with what. Every value is resolved, checked and typed; nothing has been started yet.
public struct CallRequest: Sendable {
    /// Whom to call, or where to wait. Several make a conference.
    public var uris: [CallURI]
    /// Calls, or waits for a caller.
    public var role: CallURI.Role
    /// Sends back what is heard in place of the microphone.
    public var echoes = false
    /// Listening: takes up to so many callers at once at the one port, and goes on when they leave; `nil` takes one caller once.
    public var parties: Int?
    /// Device, coding, network and files.
    public var media: MediaRequest

    /// Callers that one port may take.
    public static let partiesAllowed = 1...100

    /// - Parameters:
    ///   - uris: at least one.
    ///   - role: who begins.
    ///   - media: device, coding, network and files.
    public init(_ uris: [CallURI], role: CallURI.Role, media: MediaRequest) {
        self.uris = uris
        self.role = role
        self.media = media
    }
}
