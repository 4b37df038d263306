/// The numbers under which a side that mixes is told levels, and tells them.
public struct MixLevels: Hashable, Sendable {
    /// How loud what it is sent is (RFC 6464); nil: not agreed on.
    public var received: UInt8?
    /// How loud each is who is heard in what it sends (RFC 6465); nil: not agreed on.
    public var sent: UInt8?

    /// What an offer of a side that mixes asks for; numbers that were in use stay what they are.
    static func offer(inForce: MixLevels?) -> [Attribute] {
        let first = inForce?.received ?? (inForce?.sent == 1 ? 2 : 1)
        let second = inForce?.sent ?? (first == 2 ? 1 : 2)
        return lines(MixLevels(received: first, sent: second))
    }

    /// What an answer to `offer` says.
    static func answer(to offer: MediaReading) -> [Attribute] {
        let theirs = offer.extensions
        return lines(
            MixLevels(
                received: theirs.number(of: HeaderExtensionMap.clientLevel) { $0.isSent },
                sent: theirs.number(of: HeaderExtensionMap.mixerLevels) { $0.isReceived }))
    }

    private static func lines(_ levels: MixLevels) -> [Attribute] {
        let received = levels.received.map {
            HeaderExtensionMap(number: $0, direction: .receiveOnly, uri: HeaderExtensionMap.clientLevel).attribute
        }
        let sent = levels.sent.map {
            HeaderExtensionMap(number: $0, direction: .sendOnly, uri: HeaderExtensionMap.mixerLevels).attribute
        }
        return [received, sent].compactMap(\.self)
    }

    /// What both lines agree to: what stands in one of them alone is not used.
    init(ours: MediaReading, theirs: MediaReading) {
        func common(_ uri: String, _ allows: (HeaderExtensionMap) -> Bool, _ theyAllow: (HeaderExtensionMap) -> Bool) -> UInt8?
        {
            guard let number = ours.extensions.number(of: uri, allows), number == theirs.extensions.number(of: uri, theyAllow)
            else { return nil }
            return number
        }
        received = common(HeaderExtensionMap.clientLevel, { $0.isReceived }, { $0.isSent })
        sent = common(HeaderExtensionMap.mixerLevels, { $0.isSent }, { $0.isReceived })
    }

    public init(received: UInt8? = nil, sent: UInt8? = nil) { (self.received, self.sent) = (received, sent) }
}

extension MediaReading {
    /// The line's own, else the session's.
    var extensions: [HeaderExtensionMap] {
        let own = line.attributes.compactMap(HeaderExtensionMap.init)
        return own.isEmpty ? session.attributes.compactMap(HeaderExtensionMap.init) : own
    }
}

extension [HeaderExtensionMap] {
    /// The number of an extension that is allowed; nil: it is not, or its number means something else too.
    fileprivate func number(of uri: String, _ isAllowed: (HeaderExtensionMap) -> Bool) -> UInt8? {
        guard let found = first(where: { $0.uri == uri }), isAllowed(found) else { return nil }
        return contains { $0.number == found.number && $0.uri != uri } ? nil : found.number
    }
}
