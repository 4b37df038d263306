extension NegotiationReceipt.Subject: CustomStringConvertible {
    public var description: String {
        switch self {
        case .line(let media): media
        case .codec(let name): name
        case .telephoneEvent(let rate): "telephone-event/\(rate)"
        case .comfortNoise: "comfort noise"
        case .redundancy(let name): "copies of \(name)"
        case .address: "address"
        case .direction: "direction"
        case .packetTime: "packet length"
        case .rtcp: "rtcp"
        case .encryption: "encryption"
        case .ice: "ice"
        case .bandwidth: "bandwidth"
        }
    }
}

extension NegotiationReceipt.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .agreed: "both sides agree"
        case .anotherFirst: "another codec comes first"
        case .notAnswered: "the answer leaves it out"
        case .notOurs: "not supported or not wanted here"
        case .unknownNumber: "a payload type without rtpmap"
        case .otherClockRate(let rate): "the codec in force has a clock of \(rate) Hz"
        case .notPaired: "its fmtp does not name the codec in force alone"
        case .heldByUs: "held by us"
        case .heldByPeer: "held by the peer"
        case .heldByBoth: "held by both sides"
        case .limited: "limited by the other side"
        case .notMuxed: "one side wants a port of its own for RTCP"
        case .addressChanged: "somebody between has changed the address of the line"
        case .refused(let refusal): refusal.description
        }
    }
}

extension NegotiationReceipt.Row: CustomStringConvertible {
    public var description: String {
        "\(line) \(subject): offered \(offered ?? "-"), answered \(answered ?? "-"), in force \(inForce ?? "-"): \(why)"
    }
}

extension NegotiationReceipt: CustomStringConvertible {
    /// One row a line, and the cost.
    public var description: String {
        var lines = rows.map(\.description)
        if let cost {
            lines.append(
                "cost: \(cost.delay.plainText) ms (packet \(cost.packetTime.plainText), codec "
                    + "\(cost.lookahead.plainText)), \(cost.bitRate) bit/s (headers \(cost.headerBitRate))")
        }
        return lines.joined(separator: "\n")
    }
}
