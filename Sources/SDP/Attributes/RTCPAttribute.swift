/// `a=rtcp`: where RTCP is received when it is not the port after that of RTP (RFC 3605).
public struct RTCPAttribute: Hashable, Sendable {
    public var port: UInt16
    /// nil: the address of the `c=` line.
    public var connection: Connection?

    public init(port: UInt16, connection: Connection? = nil) {
        self.port = port
        self.connection = connection
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let number = reader.word(), let port: UInt16 = number.decimal() else { return nil }
        let rest = reader.remainder()
        if rest.isEmpty {
            self.init(port: port)
        } else {
            guard let connection = Connection(line: rest) else { return nil }
            self.init(port: port, connection: connection)
        }
    }

    var text: String { connection.map { "\(port) \($0.text)" } ?? "\(port)" }
}
