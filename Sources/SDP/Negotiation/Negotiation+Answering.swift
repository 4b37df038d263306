extension Negotiation {
    /// An answer's lines before they become a description.
    struct Draft {
        var media: [MediaDescription] = []
        /// By line; none: the line is this call's audio.
        var refusals: [Int: LineRefusal] = [:]
        var audioIndex: Int?

        /// Why the whole offer is refused; nil: it has nothing that could be (no line, or only ports 0).
        var wholeRefusal: LineRefusal? {
            let reasons = refusals.sorted { $0.key < $1.key }.map(\.value).filter { $0 != .disabledByOffer }
            let ofAudio = reasons.first {
                if case .notAudio = $0 { false } else { true }
            }
            return ofAudio ?? reasons.first
        }
    }

    /// Chooses the audio line, the one in force if it still can be, and writes a line for each one offered.
    func draftAnswer(to offer: SessionDescription, numbers: inout PayloadNumbers) -> Draft {
        let maker = AnswerMaker(
            capabilities: capabilities, local: local, policy: policy, security: inForce?.security,
            ice: (inForce?.ice, inForce == nil))
        var draft = Draft()
        for (index, line) in offer.media.enumerated() {
            draft.refusals[index] = maker.refusal(of: MediaReading(line: line, session: offer))
        }
        let usable = offer.media.indices.filter { draft.refusals[$0] == nil }
        draft.audioIndex = usable.first { $0 == inForce?.line } ?? usable.first
        for (index, line) in offer.media.enumerated() {
            let reading = MediaReading(line: line, session: offer)
            if index == draft.audioIndex {
                if let answer = maker.answer(reading, numbers: &numbers) {
                    draft.media.append(answer)
                    continue
                }
                draft.audioIndex = nil
                draft.refusals[index] = .noCommonCodec
            } else if draft.refusals[index] == nil {
                draft.refusals[index] = .secondAudio
            }
            draft.media.append(line.refused)
        }
        return draft
    }

    /// `a=group:BUNDLE` with the audio line alone, where the offer bundles it (RFC 9143 section 7.3).
    func bundle(_ offer: SessionDescription, _ draft: Draft) -> [Attribute] {
        guard let index = draft.audioIndex, let id = MediaReading(line: offer.media[index], session: offer).mediaID
        else { return [] }
        for attribute in offer.attributes {
            if case .group(let group) = attribute, group.semantics == "BUNDLE", group.mediaIDs.contains(id),
                draft.media[index].attributes.contains(.rtcpMux)
            {
                return [.group(GroupAttribute(semantics: "BUNDLE", mediaIDs: [id]))]
            }
        }
        return []
    }

    /// What an answer of ours brings about.
    func read(
        offer: SessionDescription, answer: SessionDescription, draft: Draft
    ) -> (audio: AudioInForce?, receipt: NegotiationReceipt) {
        var receipt = NegotiationReceipt(offeredBy: .peer)
        var audio: AudioInForce?
        for index in offer.media.indices {
            if let refusal = draft.refusals[index] {
                receipt.rows.append(refusalRow(index, offer.media[index], answeredPort: 0, refusal))
                continue
            }
            let agreement = Agreement(
                capabilities: capabilities, local: local, index: index,
                ours: MediaReading(line: answer.media[index], session: answer),
                theirs: MediaReading(line: offer.media[index], session: offer), offeredBy: .peer, numbers: numbers,
                former: inForce?.security, formerICE: inForce?.ice)
            guard let found = agreement.audio() else { continue }
            audio = found
            receipt.rows += agreement.rows(found)
            receipt.cost = agreement.cost(found)
        }
        return (audio, receipt)
    }

    /// The receipt of an offer that is refused as a whole.
    func refusalReceipt(_ offer: SessionDescription, _ refusals: [Int: LineRefusal]) -> NegotiationReceipt {
        var receipt = NegotiationReceipt(offeredBy: .peer)
        for (index, line) in offer.media.enumerated() {
            receipt.rows.append(refusalRow(index, line, answeredPort: nil, refusals[index] ?? .secondAudio))
            guard refusals[index] == .noCommonCodec else { continue }
            for entry in FormatTable(line).entries {
                let name = entry.format?.description ?? "payload type \(entry.payloadType)"
                receipt.rows.append(
                    NegotiationReceipt.Row(
                        line: index, subject: .codec(name), offered: "\(entry.payloadType)", answered: nil,
                        inForce: nil,
                        why: entry.format == nil ? .unknownNumber : .notOurs))
            }
        }
        return receipt
    }

    func refusalRow(
        _ index: Int, _ line: MediaDescription, answeredPort: UInt16?, _ refusal: LineRefusal
    ) -> NegotiationReceipt.Row {
        NegotiationReceipt.Row(
            line: index, subject: .line(line.media), offered: "port \(line.port)",
            answered: answeredPort.map { "port \($0)" }, inForce: nil, why: .refused(refusal))
    }
}
