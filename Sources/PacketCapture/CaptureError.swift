/// Why a capture cannot be read or written.
public enum CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be opened, or is no capture: name another one.
    case unreadable(path: String, reason: String)
    /// The file breaks off or is damaged after `packets` packets; those before are good.
    case damaged(path: String, packets: Int, reason: String)
    /// Its packets lie on a link that is not understood: capture on Ethernet, loopback or `any`.
    case unknownLink(path: String, name: String)
    /// The disk refused: what was written before stays readable.
    case unwritable(path: String, reason: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(reason), \(path); name a capture in pcap or pcapng format"
        case .damaged(let path, let packets, let reason): "\(reason), \(path) after \(packets) packets"
        case .unknownLink(let path, let name):
            "link type \(name) is not understood, \(path); capture on Ethernet, loopback or any interface"
        case .unwritable(let path, let reason): "\(reason), \(path); name a place that can be written and has room"
        }
    }
}
