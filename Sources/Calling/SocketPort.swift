import Network
import Realtime

/// A call's packets to its real socket, and what was sent to the capture if there is one.
public final class SocketPort: PacketPort {
    private let transport: MediaTransport
    private let capture: CallCapture?

    public init(_ transport: MediaTransport, capture: CallCapture? = nil) {
        self.transport = transport
        self.capture = capture
    }

    public func send(rtp packet: UnsafeRawBufferPointer) {
        guard transport.send(rtp: packet), let capture, let remote = transport.remote else { return }
        capture.add(sent: packet, isControl: false, to: remote, time: .monotonicNow())
    }

    public func send(rtcp packet: UnsafeRawBufferPointer) {
        guard transport.send(rtcp: packet), let capture, let remote = transport.rtcpRemote else { return }
        capture.add(sent: packet, isControl: true, to: remote, time: .monotonicNow())
    }
}
