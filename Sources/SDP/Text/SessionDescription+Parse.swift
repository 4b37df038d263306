extension SessionDescription {
    /// Reads a body.
    ///
    /// Lines end with CRLF or LF. Their order within the session and within a media line does not matter, `s=` and `t=`
    /// may be missing. An attribute whose value is not what its name promises is kept as `Attribute.other`.
    public init(parsing body: [UInt8], limits: SDPLimits = SDPLimits()) throws(SDPParseError) {
        guard body.count <= limits.bytes else { throw SDPParseError(.tooMany("bytes"), line: 0) }
        var parser = Parser(limits: limits)
        var start = body.startIndex
        while start < body.endIndex {
            let end = body[start...].firstIndex(of: 0x0a) ?? body.endIndex
            var line = body[start..<end]
            if line.last == 0x0d { line = line.dropLast() }
            try parser.take(line)
            start = end + 1
        }
        self = try parser.finish()
    }

    /// Reads a body from text.
    public init(parsing text: String, limits: SDPLimits = SDPLimits()) throws(SDPParseError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

/// Takes a body line by line.
private struct Parser {
    let limits: SDPLimits
    var number = 0
    var hasVersion = false
    var hasTiming = false
    var hasName = false
    var origin: Origin?
    /// Its origin is replaced at the end.
    var session = SessionDescription(
        origin: Origin(sessionID: "", sessionVersion: "", addressType: "", address: ""))
    var media: [MediaDescription] = []

    init(limits: SDPLimits) { self.limits = limits }

    mutating func take(_ line: ArraySlice<UInt8>) throws(SDPParseError) {
        number += 1
        guard number <= limits.lines else { throw error(.tooMany("lines")) }
        guard line.count <= limits.lineBytes else { throw error(.lineTooLong) }
        // An empty line at the end, or between, says nothing.
        if line.isEmpty { return }
        guard !line.contains(where: { $0 == 0 || $0 == 0x0d }) else { throw error(.controlCharacter) }
        guard line.count >= 2, line[line.startIndex + 1] == UInt8(ascii: "="), let letter = line.first,
            (0x61...0x7a).contains(letter | 0x20)
        else { throw error(.notAField) }
        let value = line.dropFirst(2)
        guard hasVersion else {
            guard letter == UInt8(ascii: "v"), value.elementsEqual([0x30]) else { throw error(.version) }
            hasVersion = true
            return
        }
        if letter == UInt8(ascii: "m") {
            guard media.count < limits.media else { throw error(.tooMany("media lines")) }
            do { media.append(try MediaDescription(line: value, maxFormats: limits.formats)) } catch {
                throw self.error(error)
            }
        } else if media.isEmpty {
            try takeSession(letter, value)
        } else {
            try takeMedia(letter, value, at: media.count - 1)
        }
    }

    private mutating func takeSession(_ letter: UInt8, _ value: ArraySlice<UInt8>) throws(SDPParseError) {
        switch letter {
        case UInt8(ascii: "v"): throw error(.repeated("v"))
        case UInt8(ascii: "o"):
            guard origin == nil else { throw error(.repeated("o")) }
            guard let read = Origin(line: value) else { throw error(.origin) }
            origin = read
        case UInt8(ascii: "s"):
            guard !hasName else { throw error(.repeated("s")) }
            hasName = true
            session.sessionName = value.text
        case UInt8(ascii: "i"):
            guard session.information == nil else { throw error(.repeated("i")) }
            session.information = value.text
        case UInt8(ascii: "c"):
            guard session.connection == nil else { throw error(.repeated("c")) }
            guard let connection = Connection(line: value) else { throw error(.connection) }
            session.connection = connection
        case UInt8(ascii: "b"):
            guard let bandwidth = Bandwidth(line: value) else { throw error(.bandwidth) }
            session.bandwidths.append(bandwidth)
        case UInt8(ascii: "t"):
            if !hasTiming { session.timings = [] }
            hasTiming = true
            session.timings.append(value.text)
        case UInt8(ascii: "a"): session.attributes.append(Attribute(line: value))
        default: session.otherLines.append(OtherLine(letter: letter, value: value.text))
        }
    }

    private mutating func takeMedia(
        _ letter: UInt8, _ value: ArraySlice<UInt8>, at index: Int
    ) throws(SDPParseError) {
        switch letter {
        case UInt8(ascii: "v"): throw error(.repeated("v"))
        case UInt8(ascii: "i"):
            guard media[index].information == nil else { throw error(.repeated("i")) }
            media[index].information = value.text
        case UInt8(ascii: "c"):
            guard let connection = Connection(line: value) else { throw error(.connection) }
            media[index].connections.append(connection)
        case UInt8(ascii: "b"):
            guard let bandwidth = Bandwidth(line: value) else { throw error(.bandwidth) }
            media[index].bandwidths.append(bandwidth)
        case UInt8(ascii: "a"): media[index].attributes.append(Attribute(line: value))
        default: media[index].otherLines.append(OtherLine(letter: letter, value: value.text))
        }
    }

    mutating func finish() throws(SDPParseError) -> SessionDescription {
        guard hasVersion else { throw SDPParseError(.version, line: 1) }
        guard let origin else { throw SDPParseError(.noOrigin, line: 0) }
        session.origin = origin
        session.media = media
        return session
    }

    private func error(_ reason: SDPParseError.Reason) -> SDPParseError { SDPParseError(reason, line: number) }
}
