/// What kind of message (RFC 8489 section 5).
public enum STUNClass: UInt16, Hashable, Sendable {
    case request = 0
    case indication = 1
    case success = 2
    case error = 3
}

/// What a message is about.
public struct STUNMethod: RawRepresentable, Hashable, Sendable {
    /// 12 bits.
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue & 0xfff }

    public static let binding = STUNMethod(rawValue: 1)
    /// RFC 8656 section 17, as are those that follow.
    public static let allocate = STUNMethod(rawValue: 3)
    public static let refresh = STUNMethod(rawValue: 4)
    public static let send = STUNMethod(rawValue: 6)
    public static let data = STUNMethod(rawValue: 7)
    public static let createPermission = STUNMethod(rawValue: 8)
    public static let channelBind = STUNMethod(rawValue: 9)
}

/// Class and method as the first 16 bits carry them, the bits of the class between those of the method.
struct STUNMessageType {
    let messageClass: STUNClass
    let method: STUNMethod

    init(_ messageClass: STUNClass, _ method: STUNMethod) {
        self.messageClass = messageClass
        self.method = method
    }

    init(encoded bits: UInt16) {
        method = STUNMethod(rawValue: (bits & 0xf) | (bits >> 1 & 0x70) | (bits >> 2 & 0xf80))
        // Two bits: every value is a class.
        messageClass = STUNClass(rawValue: (bits >> 4 & 1) | (bits >> 7 & 2)) ?? .request
    }

    var encoded: UInt16 {
        let (kind, number) = (messageClass.rawValue, method.rawValue)
        return (number & 0xf) | (number & 0x70) << 1 | (number & 0xf80) << 2 | (kind & 1) << 4 | (kind & 2) << 7
    }
}
