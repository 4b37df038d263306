/// The answer to a request that could not be parsed: it copies what is sound (RFC 3261 section 8.2.6) and nothing else.
enum RejectionAnswer {
    /// nil for an ACK, and when no Via says to whom the answer belongs.
    static func response(to block: HeaderBlock, _ problem: ParseProblem) -> Response? {
        let method = block.startLine.prefix { $0 != ByteClass.space }
        guard !method.isEmpty, method.allSatisfy(ByteClass.isToken), method.text != Method.ack.name else { return nil }
        if let field = block.headers.first(.cSeq), CSeq(bytes: field.raw)?.method == .ack { return nil }
        var headers = Headers()
        guard let vias = vias(block.headers) else { return nil }
        for via in vias { headers.append(.via, via) }
        for name in [HeaderName.from, .to, .callID, .cSeq] {
            if let field = block.headers.first(name), isSound(field) { headers.append(field) }
        }
        return Response(status: problem.status, reason: problem.rawValue, headers: headers)
    }

    private static func vias(_ headers: Headers) -> [String]? {
        guard let elements = headers.elements(.via), elements.count <= 128 else { return nil }
        let vias = elements.compactMap { Via(bytes: $0, lenient: true)?.text }
        return vias.isEmpty ? nil : vias
    }

    private static func isSound(_ field: HeaderField) -> Bool {
        switch field.name {
        case .from, .to: NameAddress(bytes: field.raw) != nil
        case .cSeq: CSeq(bytes: field.raw) != nil
        default: !field.raw.contains(where: ByteClass.isControl)
        }
    }
}
