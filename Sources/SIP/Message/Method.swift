/// A request's method, RFC 3261 section 7.1. Methods are case sensitive.
public struct Method: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String) { self.name = name }

    public static let invite = Method("INVITE")
    public static let ack = Method("ACK")
    public static let cancel = Method("CANCEL")
    public static let bye = Method("BYE")
    public static let register = Method("REGISTER")
    public static let options = Method("OPTIONS")
    public static let prack = Method("PRACK")
    public static let update = Method("UPDATE")
    public static let info = Method("INFO")
    public static let refer = Method("REFER")
    public static let notify = Method("NOTIFY")
    public static let message = Method("MESSAGE")
    public static let subscribe = Method("SUBSCRIBE")
    public static let publish = Method("PUBLISH")

    /// What the user agent serves, in the order in which Allow lists it.
    public static let served: [Method] = [
        .invite, .ack, .cancel, .bye, .options, .prack, .update, .info, .refer, .notify, .message,
    ]
    /// What the user agent knows but does not serve: answered 405, where an unknown method is answered 501.
    static let knownButNotServed: Set<Method> = [.register, .subscribe, .publish]

    public var description: String { name }
}
