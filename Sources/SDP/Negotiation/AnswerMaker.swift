/// Makes the audio line of an answer (RFC 3264 section 6).
struct AnswerMaker {
    let capabilities: AudioCapabilities
    let local: LocalMedia
    let policy: MediaAddressPolicy
    /// How the media are encrypted now; nil: they are not, or there are none.
    let security: SecurityInForce?
    /// ICE as it is now, and whether nothing was agreed on before.
    let ice: (current: ICEInForce?, isFirst: Bool)

    /// Why a line of an offer cannot be used as this call's audio; nil: it can.
    func refusal(of reading: MediaReading) -> LineRefusal? {
        let line = reading.line
        guard line.port != 0 else { return .disabledByOffer }
        guard line.media == "audio" else { return .notAudio(line.media) }
        guard MediaTransport.isKnown(line.transport) else { return .transport(line.transport) }
        if case .refused(let refusal) = outcome(of: reading) { return refusal }
        let usesICE = local.ice != nil && (ice.isFirst || ice.current != nil)
        if let refusal = policy.refusal(of: reading, localAddress: local.address, usesICE: usesICE) {
            return .address(refusal)
        }
        return common(FormatTable(line)).isEmpty ? .noCommonCodec : nil
    }

    private func outcome(of reading: MediaReading) -> SecurityOutcome {
        capabilities.security.answer(to: reading, current: security)
    }

    /// The codecs that both sides know, in the order that `capabilities.preference` asks for.
    func common(_ offered: FormatTable) -> [(codec: AudioCodec, theirs: FormatTable.Entry)] {
        switch capabilities.preference {
        case .offerer:
            var found: [(codec: AudioCodec, theirs: FormatTable.Entry)] = []
            for entry in offered.entries(of: .codec) {
                guard let format = entry.format, let codec = capabilities.codec(for: format),
                    !found.contains(where: { $0.codec.format == format })
                else { continue }
                found.append((codec, entry))
            }
            return found
        case .own:
            return capabilities.codecs.compactMap { codec in offered.entry(for: codec.format).map { (codec, $0) } }
        }
    }

    /// The answer to a line that `refusal(of:)` has nothing against; nil: no payload type is free.
    func answer(_ reading: MediaReading, numbers: inout PayloadNumbers) -> MediaDescription? {
        let offered = FormatTable(reading.line)
        let all = common(offered)
        let chosen = capabilities.answersWithOneCodec ? Array(all.prefix(1)) : all
        var writer = AudioLineWriter(transport: reading.line.transport, port: local.port)
        let reserved = capabilities.reservedPayloadTypes
        var rates: Set<Int> = []
        var packetTimes: [Double] = []
        for (codec, theirs) in chosen {
            guard
                let number = numbers.number(
                    for: codec.format, theirs: theirs.payloadType, preferred: codec.payloadType, avoiding: reserved)
            else { continue }
            writer.add(number, codec.format, parameters: codec.parameters)
            if rates.isEmpty { packetTimes = codec.packetTimes }
            rates.insert(codec.format.clockRate)
            if codec.redundancy > 0, let copies = offered.redundancy(of: theirs),
                let copied = numbers.number(
                    for: .redundancy(of: codec.format), theirs: copies.entry.payloadType, avoiding: reserved)
            {
                writer.add(
                    copied, .redundancy(of: codec.format),
                    parameters: redundancyParameters(number, min(codec.redundancy, copies.copies)))
            }
        }
        guard !writer.line.formats.isEmpty else { return nil }
        if let events = capabilities.telephoneEvents {
            for entry in telephoneEvents(offered, rates: rates) {
                guard let format = entry.format,
                    let number = numbers.number(for: format, theirs: entry.payloadType, avoiding: reserved)
                else { continue }
                writer.add(number, format, parameters: events)
            }
        }
        if capabilities.comfortNoise, let entry = offered.entry(for: .comfortNoise()), rates.contains(8000),
            let number = numbers.number(for: .comfortNoise(), theirs: entry.payloadType, avoiding: reserved)
        {
            writer.add(number, .comfortNoise())
        }
        // The offered length where this side can have it too: some gateways know only one for both ways.
        let wanted = reading.packetTime.flatMap { packetTimes.contains($0) ? $0 : nil } ?? capabilities.packetTime
        let ice = local.ice?.answer(to: reading, current: ice.current, isFirst: ice.isFirst) ?? .plain
        let agreed: SecurityInForce? = if case .encrypted(let found) = outcome(of: reading) { found } else { nil }
        return writer.finish(
            local: local, capabilities: capabilities,
            packetTime: min(wanted, capabilities.maximumPacketTime ?? .infinity),
            direction: local.direction.limited(to: reading.effectiveDirection.reversed),
            mux: reading.rtcpMux && (capabilities.rtcpMux || ice.isAgreed), mediaID: reading.mediaID,
            security: agreed?.attributes ?? [], ice: ice.attributes, levels: local.mixes ? MixLevels.answer(to: reading) : [])
    }

    /// Those with a clock of the codecs in the answer; where the offer has none, the first of another clock, which many
    /// devices offer beside Opus.
    private func telephoneEvents(_ offered: FormatTable, rates: Set<Int>) -> [FormatTable.Entry] {
        let all = offered.entries(of: .telephoneEvent)
        let fitting = all.filter { rates.contains($0.format?.clockRate ?? 0) }
        return fitting.isEmpty ? Array(all.prefix(1)) : fitting
    }
}

extension MediaAddressPolicy {
    /// Checks where a line wants RTP and RTCP; nil: both may be sent there.
    func refusal(of reading: MediaReading, localAddress: String, usesICE: Bool) -> MediaAddressRefusal? {
        guard let endpoint = reading.endpoint else { return .noAddress }
        // Nobody sends to the line's own address where checks find another.
        if usesICE, reading.ice != nil, reading.rtcpMux, !reading.lacksDefaultCandidate { return nil }
        var endpoints = [endpoint]
        if let control = reading.controlEndpoint(mux: false) { endpoints.append(control) }
        for endpoint in endpoints {
            if let refusal = refusal(of: endpoint) { return refusal }
            guard let theirs = NumericAddress(endpoint.address) else { return .notNumeric(endpoint.address) }
            if let ours = NumericAddress(localAddress), ours.isV6 != theirs.isV6, !theirs.isUnspecified {
                return .otherFamily(endpoint.address)
            }
        }
        return nil
    }
}
