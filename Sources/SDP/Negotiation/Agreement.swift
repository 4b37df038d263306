/// Reads what an offered and an answered audio line bring about, for either side.
struct Agreement {
    let capabilities: AudioCapabilities
    let local: LocalMedia
    let index: Int
    let ours: MediaReading
    let theirs: MediaReading
    let offeredBy: NegotiationReceipt.Side
    let numbers: PayloadNumbers
    /// How the media were encrypted before.
    let former: SecurityInForce?
    /// How the sides found each other before.
    let formerICE: ICEInForce?

    var answer: MediaReading { offeredBy == .us ? theirs : ours }
    var offer: MediaReading { offeredBy == .us ? ours : theirs }

    /// What the lines say of encryption.
    var security: SecurityOutcome {
        switch offeredBy {
        case .us: capabilities.security.agreed(offer: ours, answer: theirs, current: former)
        case .peer: capabilities.security.answer(to: theirs, current: former)
        }
    }

    /// What the lines say of ICE. Of what we offered, the answer must have its part; one without `a=rtcp-mux` has it for RTP
    /// alone.
    var ice: ICEInForce? {
        guard let own = ours.ice, let their = theirs.ice, ours.rtcpMux else { return nil }
        // A later offer of ours that restarts nothing leaves the roles as they were.
        let isSame = formerICE.map { $0.own.identity == own.identity && $0.theirs.identity == their.identity } ?? false
        return ICEInForce(own: own, theirs: their, isOfferer: isSame ? formerICE?.isOfferer ?? false : offeredBy == .us)
    }

    /// nil: the lines have no codec in common.
    func audio() -> AudioInForce? {
        let own = FormatTable(ours.line)
        let other = FormatTable(theirs.line)
        // The answer's order decides what is sent (RFC 3264 section 7), by the other side's number.
        let order = FormatTable(answer.line)
        var chosen: (codec: AudioCodec, ours: FormatTable.Entry, theirs: FormatTable.Entry)?
        for entry in order.entries(of: .codec) {
            guard let format = entry.format, let codec = capabilities.codec(for: format),
                let mine = own.entry(for: format), let their = other.entry(for: format)
            else { continue }
            chosen = (codec, mine, their)
            break
        }
        guard let (codec, mine, their) = chosen, let remote = theirs.endpoint else { return nil }
        let ice = ice
        let mux = (capabilities.rtcpMux || ice != nil) && ours.rtcpMux && theirs.rtcpMux
        let isHeld = theirs.isHeldByAddress
        let allowed = theirs.effectiveDirection.reversed
        // By ICE media go where checks lead, and those are for RTP's port.
        let hasControl = !isHeld && (ice == nil || mux)
        let source = theirs.source
        let encrypted: SecurityInForce? = if case .encrypted(let found) = security { found } else { nil }
        return AudioInForce(
            line: index, mediaID: theirs.mediaID, direction: ours.direction.limited(to: allowed),
            wantedDirection: local.direction, isHeldByPeer: !theirs.effectiveDirection.receives,
            remote: isHeld ? nil : remote, remoteControl: hasControl ? theirs.controlEndpoint(mux: mux) : nil,
            local: ours.endpoint, rtcpMux: mux,
            security: encrypted, ice: ice, levels: local.mixes ? MixLevels(ours: ours, theirs: theirs) : MixLevels(),
            sending: sending(codec, their, other, own: own, mine: mine),
            receiving: receiving(own, other),
            receivingEarlier: earlier(own),
            rtcpSendersBandwidth: theirs.bandwidth(.rtcpSenders).map(Int.init(clamping:)),
            rtcpReceiversBandwidth: theirs.bandwidth(.rtcpReceivers).map(Int.init(clamping:)),
            remoteSSRC: source?.ssrc, remoteCNAME: source?.value)
    }

    private func sending(
        _ codec: AudioCodec, _ their: FormatTable.Entry, _ other: FormatTable, own: FormatTable, mine: FormatTable.Entry
    ) -> AudioInForce.Sending {
        let rate = codec.format.clockRate
        let opus = codec.format == .opus ? OpusParameters(their.parameters) : nil
        let time = packetTime(
            sending: codec.packetTimes, wanted: theirs.packetTime ?? capabilities.packetTime,
            minimum: opus?.minimumPacketTime.map { Double($0) }, maximum: theirs.maximumPacketTime)
        let common = other.entries(of: .telephoneEvent).filter { entry in
            entry.format.map { own.entry(for: $0) != nil } ?? false
        }
        let event = (common.first { $0.format?.clockRate == rate } ?? common.first).map {
            AudioInForce.TelephoneEvent(
                payloadType: $0.payloadType, clockRate: $0.format?.clockRate ?? rate, events: $0.parameters)
        }
        let noise = AudioFormat.comfortNoise(rate: rate)
        let copies = own.redundancy(of: mine).flatMap { mine in
            other.redundancy(of: their).map {
                AudioInForce.Redundancy(payloadType: $0.entry.payloadType, copies: min(mine.copies, $0.copies))
            }
        }
        return AudioInForce.Sending(
            codec: codec, payloadType: their.payloadType, parameters: their.parameters, packetTime: time,
            maximumBitRate: maximumBitRate(opus: opus, packetTime: time),
            comfortNoise: own.entry(for: noise) == nil ? nil : other.entry(for: noise)?.payloadType,
            telephoneEvent: event, redundancy: copies)
    }

    /// The least of what `b=TIAS`, `b=AS` (without the headers it counts) and Opus' own parameter allow.
    private func maximumBitRate(opus: OpusParameters?, packetTime: Double) -> Int? {
        var limits: [Int] = []
        if let value = theirs.bandwidth(.transportIndependent) { limits.append(Int(clamping: value)) }
        if let value = theirs.bandwidth(.applicationSpecific) {
            let bits = Int(clamping: value).multipliedReportingOverflow(by: 1000)
            let headers = headerBitRate(packetTime: packetTime)
            if !bits.overflow { limits.append(max(0, bits.partialValue - headers)) }
        }
        if let value = opus?.maximumAverageBitRate { limits.append(value) }
        return limits.min()
    }

    /// Bits a second of IP, UDP and RTP headers.
    func headerBitRate(packetTime: Double) -> Int {
        let isV6 = theirs.connection.flatMap { NumericAddress($0.address) }?.isV6 ?? false
        return Int(((isV6 ? 60 : 40) * 8 * 1000 / max(packetTime, 1)).rounded())
    }

    private func receiving(_ own: FormatTable, _ other: FormatTable) -> [UInt8: AudioFormat] {
        var found: [UInt8: AudioFormat] = [:]
        for entry in own.entries {
            if let format = entry.format, other.entry(for: format) != nil { found[entry.payloadType] = format }
        }
        return found
    }

    private func earlier(_ own: FormatTable) -> [UInt8: AudioFormat] {
        var found: [UInt8: AudioFormat] = [:]
        for (number, format) in numbers.bound where own.entry(at: number) == nil { found[number] = format }
        return found
    }
}
