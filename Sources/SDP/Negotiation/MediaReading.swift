import Link

/// A media line read together with the session lines that hold for it.
struct MediaReading {
    let line: MediaDescription
    let session: SessionDescription

    /// The line's own, else the session's.
    var connection: Connection? { line.connections.first ?? session.connection }

    var direction: MediaDirection {
        Self.direction(of: line.attributes) ?? Self.direction(of: session.attributes) ?? .sendReceive
    }

    /// Whether the writer holds in the way of RFC 2543: by an unspecified address. With port 9 it means candidates that are still to
    /// come (RFC 8840 section 4.1.1).
    var isHeldByAddress: Bool { !(line.port == 9 && ice != nil) && hasNoAddress }

    private var hasNoAddress: Bool { connection.flatMap { NumericAddress($0.address) }?.isUnspecified ?? false }

    /// What flows, seen by the writer; with an unspecified address it receives nothing.
    var effectiveDirection: MediaDirection {
        isHeldByAddress ? MediaDirection(sends: direction.sends, receives: false) : direction
    }

    var packetTime: Double? {
        first { if case .packetTime(let value) = $0 { value } else { nil } }
    }

    var maximumPacketTime: Double? {
        first { if case .maximumPacketTime(let value) = $0 { value } else { nil } }
    }

    var rtcpMux: Bool { line.attributes.contains(.rtcpMux) }

    var rtcp: RTCPAttribute? {
        first { if case .rtcp(let value) = $0 { value } else { nil } }
    }

    var mediaID: String? {
        first { if case .mediaID(let value) = $0 { value } else { nil } }
    }

    var source: SourceAttribute? {
        first { if case .source(let value) = $0, value.attribute == "cname" { value } else { nil } }
    }

    /// The line's own value, else the session's.
    func bandwidth(_ kind: Bandwidth.Kind) -> UInt64? {
        (line.bandwidths.first { $0.kind == kind } ?? session.bandwidths.first { $0.kind == kind })?.value
    }

    /// Where the writer receives RTP.
    var endpoint: MediaEndpoint? {
        guard line.port != 0, let connection, connection.isInternet else { return nil }
        return MediaEndpoint(address: connection.address, port: line.port)
    }

    /// Where the writer receives RTCP: its rtcp attribute, else the next port (RFC 3605 section 2.1); nil: nowhere.
    func controlEndpoint(mux: Bool) -> MediaEndpoint? {
        guard let endpoint else { return nil }
        if mux { return endpoint }
        guard let rtcp else {
            return endpoint.port == .max
                ? nil : MediaEndpoint(address: endpoint.address, port: endpoint.port + 1)
        }
        guard rtcp.port != 0 else { return nil }
        guard let connection = rtcp.connection else { return MediaEndpoint(address: endpoint.address, port: rtcp.port) }
        return connection.isInternet ? MediaEndpoint(address: connection.address, port: rtcp.port) : nil
    }

    private func first<Value>(_ pick: (Attribute) -> Value?) -> Value? {
        for attribute in line.attributes {
            if let value = pick(attribute) { return value }
        }
        return nil
    }

    private static func direction(of attributes: [Attribute]) -> MediaDirection? {
        for attribute in attributes {
            if case .direction(let direction) = attribute { return direction }
        }
        return nil
    }
}

extension Connection {
    var isInternet: Bool { networkType == "IN" && (addressType == "IP4" || addressType == "IP6") }
}
