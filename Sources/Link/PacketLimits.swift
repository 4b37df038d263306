/// Sizes that bound every packet, wherever it is made, sent or received; larger input is a counted drop.
public enum PacketLimits {
    /// Largest RTP payload: 200 ms of L16 at 16 kHz.
    public static let payloadBytes = 6400
    /// Largest RTP or RTCP packet as a stream makes it.
    public static let packetBytes = payloadBytes + 128
    /// Room behind a packet for what layers of a link add: SRTP's longest trailer (tag, MKI, SRTCP index) is shorter.
    public static let trailerBytes = 160
    /// Largest datagram sent or accepted.
    public static let datagramBytes = packetBytes + trailerBytes
}
