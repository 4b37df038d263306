/// Sequence number and method, RFC 3261 section 20.16.
public struct CSeq: Hashable, Sendable {
    /// Less than 2^31.
    public var number: UInt32
    public var method: Method

    public init(number: UInt32, method: Method) {
        self.number = number
        self.method = method
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let number = scanner.takeNumber(limit: 0x7FFF_FFFF), let space = scanner.current,
            ByteClass.isFoldingSpace(space)
        else { return nil }
        scanner.skipSpace()
        guard let name = scanner.takeToken() else { return nil }
        scanner.skipSpace()
        guard scanner.isAtEnd else { return nil }
        self.number = UInt32(number)
        method = Method(name)
    }

    public var text: String { "\(number) \(method.name)" }
}

/// What a PRACK acknowledges, RFC 3262 section 7.2.
public struct RAck: Hashable, Sendable {
    public var responseNumber: UInt32
    public var cSeq: CSeq

    public init(responseNumber: UInt32, cSeq: CSeq) {
        self.responseNumber = responseNumber
        self.cSeq = cSeq
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let number = scanner.takeNumber(limit: UInt64(UInt32.max)), let cSeq = CSeq(bytes: scanner.rest) else {
            return nil
        }
        responseNumber = UInt32(number)
        self.cSeq = cSeq
    }

    public var text: String { "\(responseNumber) \(cSeq.text)" }
}
