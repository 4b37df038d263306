/// What one side tells the other about its delay from the microphone to the network: the RTCP APP packet "YDLY".
/// The format is in docs/rtcp-delay-app.md.
public struct DelayLedgerMessage: Hashable, Sendable {
    /// Name of the APP packet.
    public static let name = "YDLY"
    /// Subtype of the APP packet.
    public static let subtype: UInt8 = 0
    /// Version of the format.
    public static let version: UInt8 = 1

    /// Delay from sound at the microphone to the packet on the wire, in milliseconds; resolution 0.01 ms.
    public var sendDelayMilliseconds: Double
    /// A stage of the sum has its nominal, not its measured delay.
    public var isEstimated: Bool
    /// The side sends back what it hears: two such must not feed each other.
    public var echoes: Bool
    /// How the side's machine stands still; nil: it does not tell.
    public var stops: SenderStops?

    public init(
        sendDelayMilliseconds: Double, isEstimated: Bool = false, echoes: Bool = false, stops: SenderStops? = nil
    ) {
        self.stops = stops
        self.sendDelayMilliseconds = sendDelayMilliseconds
        self.isEstimated = isEstimated
        self.echoes = echoes
    }

    /// The packet for `RTCPSession.makeReport`. Delays below 0 or not finite are sent as 0.
    public func packet(ssrc: UInt32) -> ApplicationPacket {
        var data: [UInt8] = [Self.version, (isEstimated ? 1 : 0) | (echoes ? 2 : 0) | (stops?.flags ?? 0), 0, 0]
        let units = sendDelayMilliseconds.isFinite ? (100 * sendDelayMilliseconds).rounded() : 0
        data.appendBigEndian(UInt32(max(0, min(units, Double(UInt32.max)))))
        stops?.append(to: &data)
        return ApplicationPacket(ssrc: ssrc, subtype: Self.subtype, name: Self.name, data: data)
    }

    /// nil when the packet is something else, too short, or of another version. Data after the known fields is skipped.
    public init?(_ packet: ApplicationPacket) {
        guard packet.name == Self.name, packet.subtype == Self.subtype, packet.data.count >= 8,
            packet.data[0] == Self.version
        else { return nil }
        isEstimated = packet.data[1] & 1 != 0
        echoes = packet.data[1] & 2 != 0
        let units = packet.data[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        sendDelayMilliseconds = Double(units) / 100
        stops = SenderStops(packet.data[8...], flags: packet.data[1])
    }
}
