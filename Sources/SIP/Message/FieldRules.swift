/// What every message must have before anything is done with it (RFC 3261 section 8.1.1, RFC 4475 section 3.1.2).
enum FieldRules {
    /// `method` is the request's, nil for a response.
    static func check(_ headers: Headers, method: Method?) throws(ParseProblem) {
        for name in [HeaderName.callID, .cSeq, .from, .to] {
            guard headers.contains(name) else { throw .missingField }
            guard single(name, in: headers) else { throw .repeatedField }
        }
        guard headers.contains(.via) else { throw .missingField }
        guard let vias = headers.elements(.via), !vias.isEmpty, vias.count <= 128,
            vias.allSatisfy({ Via(bytes: $0) != nil })
        else { throw .badVia }
        for name in [HeaderName.from, .to] {
            guard let field = headers.first(name), NameAddress(bytes: field.raw) != nil else { throw .badAddress }
        }
        guard let callID = headers.first(.callID), !callID.raw.isEmpty,
            !callID.raw.contains(where: ByteClass.isFoldingSpace)
        else { throw .badCallID }
        guard let field = headers.first(.cSeq), let cSeq = CSeq(bytes: field.raw) else { throw .badCSeq }
        if let method, cSeq.method != method { throw .badCSeq }
        try checkAddresses(headers)
        for name in [HeaderName.maxForwards, .rSeq] {
            if let field = headers.first(name), number(field, limit: UInt64(UInt32.max)) == nil { throw .badNumber }
        }
    }

    private static func checkAddresses(_ headers: Headers) throws(ParseProblem) {
        if headers.contains(.contact) {
            guard let contacts = headers.elements(.contact) else { throw .badContact }
            for contact in contacts where !(contacts.count == 1 && contact.elementsEqual("*".utf8)) {
                guard NameAddress(bytes: contact) != nil else { throw .badContact }
            }
        }
        for name in [HeaderName.route, .recordRoute] where headers.contains(name) {
            guard let routes = headers.elements(name), routes.allSatisfy({ NameAddress(bytes: $0) != nil }) else {
                throw .badRoute
            }
        }
    }

    /// At most one field of that name.
    static func single(_ name: HeaderName, in headers: Headers) -> Bool {
        var seen = false
        for field in headers.fields where field.name == name {
            if seen { return false }
            seen = true
        }
        return true
    }

    /// A field that is one decimal number of at most `limit`.
    static func number(_ field: HeaderField, limit: UInt64) -> UInt64? {
        var scanner = ByteScanner(field.raw)
        guard let value = scanner.takeNumber(limit: limit) else { return nil }
        scanner.skipSpace()
        return scanner.isAtEnd ? value : nil
    }
}
