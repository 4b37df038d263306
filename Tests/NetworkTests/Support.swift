import Glibc
import Link
import Network
import RTP
import Realtime

/// Whether ::1 can be bound here; containers often have no IPv6.
let hasIPv6 = (try? UDPSocket(binding: SocketAddress(IPAddress("::1"), port: 0))) != nil

let loopback = IPAddress(v4: 0x7f00_0001)

/// An RTP packet of one source.
func packet(_ sequence: UInt16, ssrc: UInt32 = 1, payload: [UInt8] = [1, 2, 3]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 12)
    let header = RTPHeader(payloadType: 0, sequence: sequence, timestamp: 0, ssrc: ssrc)
    _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
    return bytes + payload
}

func report(ssrc: UInt32 = 1) -> [UInt8] {
    var bytes: [UInt8] = []
    RTCPPacket.receiverReport(ssrc: ssrc, reports: []).append(to: &bytes)
    return bytes
}

/// A datagram copied out of the link.
struct Received: Equatable {
    var kind: DatagramKind
    var bytes: [UInt8]
    var arrival: HostTime
    var source: SocketAddress
    var isOnControlPort: Bool
    var trafficClass: UInt8?
}

extension UDPLink {
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { send(copying: bytes, on: .media, now: .monotonicNow()) }

    @discardableResult
    func send(control bytes: [UInt8]) -> Bool { send(copying: bytes, on: .control, now: .monotonicNow()) }

    /// What arrives until there are `count` datagrams or `milliseconds` have passed.
    func receive(_ count: Int, within milliseconds: Double = 60_000) -> [Received] {
        var received: [Received] = []
        let deadline = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
        while received.count < count, HostTime.monotonicNow() < deadline {
            guard isReadable(withinMilliseconds: deadline.milliseconds(since: .monotonicNow())) else { continue }
            receive(now: .monotonicNow()) {
                received.append(
                    Received(
                        kind: $0.kind, bytes: Array($0.bytes), arrival: $0.arrival, source: $0.source,
                        isOnControlPort: $0.isOnControlPort, trafficClass: $0.trafficClass))
            }
        }
        return received
    }

    /// Whether something is to be read, or an error to be fetched, now or soon.
    func isReadable(withinMilliseconds wait: Double) -> Bool {
        var entries = fileDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        return poll(&entries, nfds_t(entries.count), Int32(max(0, wait.rounded(.up)))) > 0
    }

    /// Reads what is there until `condition` holds; false when patience is over.
    func receive(until condition: () -> Bool) -> Bool {
        let deadline = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while !condition() {
            guard HostTime.monotonicNow() < deadline else { return false }
            _ = isReadable(withinMilliseconds: 20)
            receive(now: .monotonicNow()) { _ in }
        }
        return true
    }

    /// The address that a peer on this machine sends to.
    var reachable: SocketAddress {
        local.address.isUnspecified ? SocketAddress(loopback, port: local.port) : local
    }
}

extension UDPSocket {
    func send(_ bytes: [UInt8], to address: SocketAddress) -> Int32 { bytes.withUnsafeBytes { send($0, to: address) } }
}
