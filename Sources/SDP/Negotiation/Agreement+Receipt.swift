extension Agreement {
    /// The rows of the audio line.
    func rows(_ audio: AudioInForce) -> [NegotiationReceipt.Row] {
        let offered = FormatTable(offer.line)
        let answered = FormatTable(answer.line)
        var rows = [row(.line("audio"), "port \(offer.line.port)", "port \(answer.line.port)", "RTP/AVP", .agreed)]
        rows[0].inForce = answer.line.transport
        for entry in offered.entries { rows.append(formatRow(entry, answered, audio)) }
        rows.append(
            row(
                .address, offer.endpoint?.description, answer.endpoint?.description,
                audio.remote?.description, audio.remote == nil ? .heldByPeer : .agreed))
        rows.append(directionRow(audio))
        rows.append(packetTimeRow(audio))
        rows.append(rtcpRow(audio))
        if let row = encryptionRow(audio) { rows.append(row) }
        if let row = iceRow(audio) { rows.append(row) }
        if let row = bandwidthRow(audio) { rows.append(row) }
        return rows
    }

    func cost(_ audio: AudioInForce) -> NegotiationReceipt.Cost? {
        guard audio.direction.sends else { return nil }
        let sending = audio.sending
        let payload = min(sending.codec.bitRate, sending.maximumBitRate ?? .max)
        let headers = headerBitRate(packetTime: sending.packetTime)
        let copies = sending.redundancy?.copies ?? 0
        // Each copy has four bytes of header, the packet's own audio one (RFC 2198 section 3).
        let copyHeaders = copies == 0 ? 0 : Int(Double((copies * 4 + 1) * 8000) / max(sending.packetTime, 1))
        return NegotiationReceipt.Cost(
            packetTime: sending.packetTime, lookahead: sending.codec.lookahead,
            bitRate: payload * (copies + 1) + headers + copyHeaders, headerBitRate: headers + copyHeaders)
    }

    private func row(
        _ subject: NegotiationReceipt.Subject, _ offered: String?, _ answered: String?, _ inForce: String?,
        _ why: NegotiationReceipt.Reason
    ) -> NegotiationReceipt.Row {
        NegotiationReceipt.Row(
            line: index, subject: subject, offered: offered, answered: answered, inForce: inForce, why: why)
    }

    private func formatRow(
        _ entry: FormatTable.Entry, _ answered: FormatTable, _ audio: AudioInForce
    ) -> NegotiationReceipt.Row {
        let offeredText = entry.parameters.isEmpty ? "\(entry.payloadType)" : "\(entry.payloadType) \(entry.parameters)"
        guard let format = entry.format else {
            return row(.codec("payload type \(entry.payloadType)"), offeredText, nil, nil, .unknownNumber)
        }
        let answer = answered.entry(for: format)
        let answerText = answer.map {
            $0.parameters.isEmpty ? "\($0.payloadType)" : "\($0.payloadType) \($0.parameters)"
        }
        let sent = sentPayloadType(format, audio)
        let received = audio.receiving.first { $0.value == format }?.key
        var inForce: String?
        if let received { inForce = sent.map { "send \($0), receive \(received)" } ?? "receive \(received)" }
        return row(subject(format), offeredText, answerText, inForce, why(format, answer, sent, audio))
    }

    private func subject(_ format: AudioFormat) -> NegotiationReceipt.Subject {
        switch format.role {
        case .codec: .codec(format.description)
        case .telephoneEvent: .telephoneEvent(format.clockRate)
        case .comfortNoise: .comfortNoise
        case .redundancy: .redundancy(format.description)
        }
    }

    private func sentPayloadType(_ format: AudioFormat, _ audio: AudioInForce) -> UInt8? {
        let sending = audio.sending
        return switch format.role {
        case .codec: sending.codec.format == format ? sending.payloadType : nil
        case .telephoneEvent:
            sending.telephoneEvent.flatMap { $0.clockRate == format.clockRate ? $0.payloadType : nil }
        case .comfortNoise: sending.comfortNoise
        case .redundancy:
            format == .redundancy(of: sending.codec.format) ? sending.redundancy?.payloadType : nil
        }
    }

    private func why(
        _ format: AudioFormat, _ answer: FormatTable.Entry?, _ sent: UInt8?, _ audio: AudioInForce
    ) -> NegotiationReceipt.Reason {
        if sent != nil { return .agreed }
        let rate = audio.sending.codec.format.clockRate
        switch format.role {
        case .codec:
            if capabilities.codec(for: format) == nil { return .notOurs }
            return answer == nil && offeredBy == .us ? .notAnswered : .anotherFirst
        case .telephoneEvent where capabilities.telephoneEvents == nil: return .notOurs
        case .comfortNoise where !capabilities.comfortNoise: return .notOurs
        case .redundancy
        where (capabilities.codecs.first { .redundancy(of: $0.format) == format }?.redundancy ?? 0) == 0:
            return .notOurs
        case .telephoneEvent, .comfortNoise, .redundancy:
            if format.clockRate != rate { return .otherClockRate(rate) }
            return offeredBy == .us && answer == nil ? .notAnswered : .notPaired
        }
    }

    private func directionRow(_ audio: AudioInForce) -> NegotiationReceipt.Row {
        let heldByUs = !local.direction.receives
        let why: NegotiationReceipt.Reason =
            switch (heldByUs, audio.isHeldByPeer) {
            case (true, true): .heldByBoth
            case (true, false): .heldByUs
            case (false, true): .heldByPeer
            case (false, false): audio.direction == local.direction ? .agreed : .limited
            }
        let offered = offer.isHeldByAddress ? "\(offer.direction.rawValue), no address" : offer.direction.rawValue
        return row(.direction, offered, answer.direction.rawValue, audio.direction.rawValue, why)
    }

    private func packetTimeRow(_ audio: AudioInForce) -> NegotiationReceipt.Row {
        func text(_ reading: MediaReading) -> String? {
            let parts = [
                reading.packetTime.map { "\($0.plainText) ms" },
                reading.maximumPacketTime.map { "at most \($0.plainText) ms" },
            ].compactMap(\.self)
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
        let sent = audio.sending.packetTime
        let asked = theirs.packetTime ?? capabilities.packetTime
        return row(
            .packetTime, text(offer), text(answer), "send \(sent.plainText) ms", sent == asked ? .agreed : .limited)
    }

    private func rtcpRow(_ audio: AudioInForce) -> NegotiationReceipt.Row {
        func text(_ reading: MediaReading) -> String {
            let port = reading.controlEndpoint(mux: false).map { "port \($0.port)" } ?? "none"
            return reading.rtcpMux ? "\(port) or shared" : port
        }
        let inForce = audio.rtcpMux ? "shared" : audio.remoteControl.map { "to \($0)" }
        let wanted = offer.rtcpMux || answer.rtcpMux
        return row(.rtcp, text(offer), text(answer), inForce, wanted && !audio.rtcpMux ? .notMuxed : .agreed)
    }

    /// nil: nobody spoke of it.
    private func encryptionRow(_ audio: AudioInForce) -> NegotiationReceipt.Row? {
        guard let offered = offer.securityText else { return nil }
        let inForce: String? =
            switch audio.security {
            case .dtls(let isActive, _, _): "DTLS, \(isActive ? "we begin" : "the other side begins")"
            case .sdes(let own, _): "SDES, \(own.suite)"
            case nil: nil
            }
        let why: NegotiationReceipt.Reason =
            inForce != nil ? .agreed : offeredBy == .us ? .notAnswered : .notOurs
        return row(.encryption, offered, answer.securityText, inForce, why)
    }

    /// nil: nobody offered it.
    private func iceRow(_ audio: AudioInForce) -> NegotiationReceipt.Row? {
        func text(_ reading: MediaReading) -> String? {
            reading.ice.map { ice in
                let kinds = ice.candidates.map(\.type)
                return (ice.isLite ? "lite, " : "") + (kinds.isEmpty ? "no candidate yet" : kinds.joined(separator: " "))
            }
        }
        guard let offered = text(offer) else { return nil }
        let inForce = audio.ice.map { $0.isOfferer ? "we control" : "the other side controls" }
        let isChanged = offer.lacksDefaultCandidate || answer.line.attributes.contains(.other(name: "ice-mismatch", value: nil))
        let why: NegotiationReceipt.Reason =
            inForce != nil ? .agreed : isChanged ? .addressChanged : offeredBy == .us ? .notAnswered : .notOurs
        return row(.ice, offered, text(answer), inForce, why)
    }

    private func bandwidthRow(_ audio: AudioInForce) -> NegotiationReceipt.Row? {
        func text(_ reading: MediaReading) -> String? {
            let all = reading.line.bandwidths + reading.session.bandwidths
            return all.isEmpty ? nil : all.map(\.text).joined(separator: " ")
        }
        guard text(offer) != nil || text(answer) != nil else { return nil }
        let limit = audio.sending.maximumBitRate.map { "send at most \($0) bit/s" }
        let reports = audio.rtcpBandwidth.map { $0 == 0 ? "no RTCP" : "RTCP at most \($0) bit/s" }
        let limits = [limit, reports].compactMap(\.self)
        return row(
            .bandwidth, text(offer), text(answer), limits.isEmpty ? "no limit" : limits.joined(separator: ", "),
            limits.isEmpty ? .agreed : .limited)
    }
}
