import CNetwork
import Glibc
import RTP
import Realtime

/// How RTCP travels.
public enum RTCPTransport: Sendable, Hashable {
    /// With RTP on one port, RFC 5761.
    case mux
    /// On our RTP port + 1, to the peer's port given here, or to the peer's RTP port + 1 (RFC 3550 section 11).
    case separate(remotePort: UInt16? = nil)
}

/// The UDP side of a call: one or two sockets, demultiplexing, symmetric RTP, allow list. For one thread.
///
/// A remote that was given stays the destination; packets are accepted from its address and any port. Without one, the
/// first valid RTP packet from an allowed address (any address without an allow list) tells where the peer is, and
/// others are strangers, save that the peer may move within an allow list.
public final class MediaTransport {
    /// Where RTP is heard; the port is the kernel's choice when 0 was asked.
    public var local: SocketAddress { rtpSocket.local }
    /// Where RTCP is heard: RTP's port with rtcp-mux.
    public var localControlPort: UInt16 { rtcpSocket?.local.port ?? local.port }
    /// Where RTP goes; nil until the peer is known.
    public var remote: SocketAddress? { latch.remote }
    public private(set) var statistics = TransportStatistics()
    /// Moves of a learnt remote.
    public var remoteMoves: Int { latch.moves }

    private let rtpSocket: UDPSocket
    /// nil with rtcp-mux.
    private let rtcpSocket: UDPSocket?
    private let rtcp: RTCPTransport
    private let batch: ReceiveBatch
    private var latch: RemoteLatch
    /// Where RTCP came from, when it has its own port.
    private var rtcpSource: SocketAddress?

    /// - `bind`: local address; nil: every interface, IPv4 and IPv6 unless `remote` decides.
    /// - `localPort`: port for RTP, and with separate RTCP the next one; 0: a free one (an even one of a free pair).
    /// - `allow`: who may be the peer besides `remote`; empty: anyone, if there is no `remote`.
    public init(
        bind: IPAddress? = nil, localPort: UInt16 = 0, remote: SocketAddress? = nil, rtcp: RTCPTransport = .mux,
        allow: [CIDR] = []
    ) throws(NetworkError) {
        let (rtpSocket, rtcpSocket) = try Self.open(bind, remote: remote, port: localPort, rtcp: rtcp)
        batch = try ReceiveBatch()
        self.rtpSocket = rtpSocket
        self.rtcpSocket = rtcpSocket
        self.rtcp = rtcp
        latch = RemoteLatch(remote: remote, allow: allow)
    }

    private static func open(
        _ bind: IPAddress?, remote: SocketAddress?, port: UInt16, rtcp: RTCPTransport
    ) throws(NetworkError) -> (UDPSocket, UDPSocket?) {
        if let bind { return try open(bind, scope: remote?.scope ?? 0, port: port, rtcp: rtcp) }
        if remote?.address.family == .v4 { return try open(IPAddress(v4: 0), scope: 0, port: port, rtcp: rtcp) }
        do {
            return try open(IPAddress(v6: 0), scope: 0, port: port, rtcp: rtcp)
        } catch .familyUnavailable where remote == nil {
            return try open(IPAddress(v4: 0), scope: 0, port: port, rtcp: rtcp)
        }
    }

    /// RFC 3550 section 11: RTP on an even port, RTCP on the next. Only with port 0 there is a choice.
    private static func open(
        _ address: IPAddress, scope: UInt32, port: UInt16, rtcp: RTCPTransport
    ) throws(NetworkError) -> (UDPSocket, UDPSocket?) {
        var attempts = port == 0 ? 100 : 1
        while true {
            let rtpSocket = try UDPSocket(binding: SocketAddress(address, port: port, scope: scope))
            if case .mux = rtcp { return (rtpSocket, nil) }
            attempts -= 1
            let rtpPort = rtpSocket.local.port
            if port == 0, rtpPort % 2 != 0, attempts > 0 { continue }
            guard rtpPort < .max else { throw .portTaken(rtpPort) }
            do {
                return (rtpSocket, try UDPSocket(binding: SocketAddress(address, port: rtpPort + 1, scope: scope)))
            } catch {
                if case .portTaken = error, attempts > 0 { continue }
                throw error
            }
        }
    }

    /// What to poll for reading: RTP's socket, then RTCP's if it has its own.
    public var fileDescriptors: [Int32] { [rtpSocket.fileDescriptor] + (rtcpSocket.map { [$0.fileDescriptor] } ?? []) }

    /// Where RTCP goes; nil until the peer is known.
    public var rtcpRemote: SocketAddress? {
        guard let remote = latch.remote, case .separate(let port) = rtcp else { return latch.remote }
        if let port { return SocketAddress(remote.address, port: port, scope: remote.scope) }
        // A port learnt from the peer's RTCP (NAT) beats the convention.
        if let rtcpSource, rtcpSource.address == remote.address { return rtcpSource }
        return SocketAddress(remote.address, port: remote.port &+ 1, scope: remote.scope)
    }

    /// Sends an RTP packet; false when it was not sent (counted: peer unknown, or refused by the kernel).
    @discardableResult
    public func send(rtp packet: UnsafeRawBufferPointer) -> Bool { send(packet, by: rtpSocket, to: latch.remote) }

    /// Sends an RTCP packet; false when it was not sent.
    @discardableResult
    public func send(rtcp packet: UnsafeRawBufferPointer) -> Bool {
        send(packet, by: rtcpSocket ?? rtpSocket, to: rtcpRemote)
    }

    private func send(_ packet: UnsafeRawBufferPointer, by socket: UDPSocket, to address: SocketAddress?) -> Bool {
        guard let address else {
            statistics.sentToNobody += 1
            return false
        }
        var error = socket.send(packet, to: address)
        if Self.isICMP(error) {
            // The error of an earlier packet: this one has not been sent yet.
            drainErrors(socket)
            error = socket.send(packet, to: address)
        }
        guard error == 0 else {
            statistics.sendFailures += 1
            statistics.lastSendError = error
            return false
        }
        statistics.sent += 1
        statistics.sentOctets += packet.count
        return true
    }

    /// Receives what is there, at most 32 datagrams a socket, and hands valid ones to `body`. Never waits. When it
    /// returns with more to read, `fileDescriptors` stay readable.
    ///
    /// - `control`: whether RTCP's own socket is looked at too, if there is one.
    /// - Returns: datagrams handed on.
    @discardableResult
    public func receiveBatch(control: Bool = true, _ body: (Datagram) -> Void) -> Int {
        let before = statistics.received
        receive(from: rtpSocket, isRTCPPort: false, body)
        if control, let rtcpSocket { receive(from: rtcpSocket, isRTCPPort: true, body) }
        return statistics.received - before
    }

    private func receive(from socket: UDPSocket, isRTCPPort: Bool, _ body: (Datagram) -> Void) {
        var count = batch.receive(from: socket)
        if count < 0, count != -Int(EAGAIN) {
            // The error of an earlier packet, told by ICMP; its report wakes every poll until it is read.
            drainErrors(socket)
            count = batch.receive(from: socket)
        }
        guard count > 0 else { return }
        let stamps = ReceiveStampMapping()
        for index in 0..<count {
            let raw = batch[index]
            guard !raw.truncated else {
                statistics.drop(.oversized)
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: raw.bytes, count: Int(raw.length))
            guard let address = raw.source.flatMap({ SocketAddress($0) }) else { continue }
            let kind = DatagramKind(bytes)
            if let reason = admit(bytes, kind: kind, from: address, isRTCPPort: isRTCPPort) {
                statistics.drop(reason)
                continue
            }
            statistics.received += 1
            statistics.receivedOctets += bytes.count
            body(
                Datagram(
                    kind: kind, bytes: bytes, arrival: stamps.hostTime(realtimeNanoseconds: raw.realtime_ns),
                    source: address, trafficClass: UInt8(exactly: raw.traffic_class)))
        }
    }

    /// Why the datagram is dropped, nil when it is accepted.
    private func admit(
        _ bytes: UnsafeRawBufferPointer, kind: DatagramKind, from address: SocketAddress, isRTCPPort: Bool
    ) -> TransportDropReason? {
        guard kind == .rtcp || kind == .rtp && !isRTCPPort else { return .garbage }
        // Noise must not choose the peer; afterwards malformed packets are for the receiver to count.
        if latch.remote == nil, kind == .rtp, (try? RTPPacket(parsing: bytes)) == nil { return .garbage }
        guard latch.admit(address, kind: kind) else { return .stranger }
        if kind == .rtcp, isRTCPPort { rtcpSource = address }
        return nil
    }

    /// Forgets a learnt remote, for the next call on the same port.
    public func forgetRemote() {
        latch.forget()
        rtcpSource = nil
    }

    private func drainErrors(_ socket: UDPSocket) {
        statistics.icmpErrors += Int(cnetwork_drain_errors(socket.fileDescriptor))
    }

    /// Errors that an ICMP message about an earlier packet leaves for the next call.
    private static func isICMP(_ error: Int32) -> Bool {
        switch error {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENOPROTOOPT, EPROTO: true
        default: false
        }
    }
}
