import Glibc
import Realtime
import Signalling
import TestPrograms
import Testing

@Suite("The end of signalling") struct ShutdownTests {
    @Test("a caller to whom it rings hears 480 when signalling ends") func ringing() async throws {
        let phone = try Phone([.udp])
        let caller = try SilentCaller()
        caller.call(phone.port)
        let (call, _) = try await phone.incoming()
        phone.signalling.ring(call, withMedia: false)
        #expect(try await caller.hears("SIP/2.0 180 "))
        await phone.signalling.shutdown(within: 0.1)
        #expect(try await caller.hears("SIP/2.0 480 "))
    }

    @Test("a caller that has not acknowledged our answer hears BYE when signalling ends") func unacknowledged() async throws {
        let phone = try Phone([.udp])
        let caller = try SilentCaller()
        caller.call(phone.port)
        let (call, _) = try await phone.incoming()
        phone.signalling.prepare(call, media: LocalPorts(port: 41_000))
        phone.signalling.answer(call)
        #expect(try await caller.hears("SIP/2.0 200 "))
        await phone.signalling.shutdown(within: 0.1)
        #expect(try await caller.hears("BYE "))
    }
}

/// Calls by hand, and acknowledges nothing.
private final class SilentCaller: Sendable {
    private let socket: LoopbackSocket

    init() throws { socket = try LoopbackSocket(isNonBlocking: true) }

    func call(_ port: UInt16) {
        let body = [
            "v=0", "o=- 7 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 6000 RTP/AVP 0", "",
        ].joined(separator: "\r\n")
        let lines = [
            "INVITE sip:phone@127.0.0.1:\(port) SIP/2.0",
            "Via: SIP/2.0/UDP 127.0.0.1:\(socket.port);branch=z9hG4bKsilent;rport", "Max-Forwards: 70",
            "From: <sip:caller@127.0.0.1>;tag=caller", "To: <sip:phone@127.0.0.1>", "Call-ID: silent", "CSeq: 1 INVITE",
            "Contact: <sip:caller@127.0.0.1:\(socket.port)>", "Content-Type: application/sdp",
            "Content-Length: \(body.utf8.count)", "", body,
        ]
        let octets = Array(lines.joined(separator: "\r\n").utf8)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        _ = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket.descriptor, octets, octets.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Waits for a message that begins so; a machine that stands still has a long time for it.
    func hears(_ start: String) async throws -> Bool {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        var isHeard = false
        repeat {
            socket.answerWaiting { octets, _ in
                isHeard = isHeard || octets.starts(with: start.utf8)
                return nil
            }
            if isHeard { return true }
            try await Task.sleep(nanoseconds: 2_000_000)
        } while HostTime.monotonicNow() < limit
        return false
    }
}
