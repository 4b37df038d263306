import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Network
import RTP
import Realtime
import Testing

/// A port of many calls on real sockets.
@Suite("A port of many calls", .serialized) struct LoadAgainstPortTests {
    private static let localhost = IPAddress(v4: 0x7f00_0001)

    private func open(_ sound: PortSound, parties: Int = 8, recordingFolder: String? = nil) throws -> CallPort {
        var configuration = CallConfiguration(codec: try Codec(named: "pcmu"), seed: 1)
        configuration.echoes = sound == .echo
        configuration.policy.waitsForCaller = true
        var plan = PortPlan(configuration: configuration, parties: parties, sound: sound)
        plan.realtime = false
        plan.recordingFolder = recordingFolder
        return try CallPort(plan, bind: Self.localhost, localPort: 0, rtcp: .separate())
    }

    /// Sends `packets` RTP packets of 20 ms from socket `name`, by the clock.
    private func speak(_ pool: UDPSocketPool, _ names: Range<Int>, to port: SocketAddress, packets: Int) {
        var next = HostTime.monotonicNow()
        for packet in 0..<packets {
            for name in names {
                var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: packet &* 31), count: 172)
                let header = RTPHeader(
                    payloadType: 0, sequence: UInt16(packet), timestamp: UInt32(packet * 160), ssrc: UInt32(name + 1))
                _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
                bytes.withUnsafeBytes { _ = pool.send($0, from: name, to: port) }
            }
            next = next.advanced(byMilliseconds: 20)
            next.sleepUntilTest()
        }
    }

    private func report(_ pool: UDPSocketPool, _ name: Int, to port: SocketAddress, isLast: Bool) {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: UInt32(name + 1), reports: []).append(to: &bytes)
        if isLast { RTCPPacket.bye(ssrcs: [UInt32(name + 1)], reason: nil).append(to: &bytes) }
        let control = SocketAddress(port.address, port: port.port + 1)
        bytes.withUnsafeBytes { _ = pool.send($0, from: name, to: control) }
    }

    @Test("each caller is echoed, and each leaves a report with what he sent")
    func echo() throws {
        let port = try open(.echo)
        let pool = try UDPSocketPool()
        for name in 0..<4 { try pool.open(name, towards: port.local) }
        speak(pool, 0..<4, to: port.local, packets: 40)
        for name in 0..<4 { report(pool, name, to: port.local, isLast: true) }
        var ended: [UInt64: Int] = [:]
        let patience = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while ended.count < 4, HostTime.monotonicNow() < patience {
            for event in port.takeEvents() {
                guard case .ended(let reason, _, let figures) = event.body else { continue }
                #expect(reason == .remoteHangup)
                ended[event.call] = figures.packetsReceived
            }
            HostTime.monotonicNow().advanced(byMilliseconds: 20).sleepUntilTest()
        }
        #expect(ended == [0: 40, 1: 40, 2: 40, 3: 40])
        var heard: [Int: Int] = [:]
        pool.receive(waitMilliseconds: 100) { name, packet in
            if packet.kind == .rtp { heard[name, default: 0] += 1 }
        }
        #expect(heard.count == 4 && heard.values.allSatisfy { $0 > 10 }, "\(heard)")
        port.close()
    }

    @Test("a program that begins anew keeps the recordings of the one before")
    func recordings() throws {
        let folder = "/tmp/yodel-recordings-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        let names = ["call-000001.wav", "call-000001-2.wav", "call-000001-3.wav"]
        defer {
            for name in names { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        var sizes: [Int] = []
        for _ in names {
            let port = try open(.announcement, recordingFolder: folder)
            let pool = try UDPSocketPool()
            try pool.open(0, towards: port.local)
            speak(pool, 0..<1, to: port.local, packets: 20)
            port.close()
            #expect(port.takeFileWarnings().isEmpty)
            sizes = names.map { name in
                var found = stat()
                return stat("\(folder)/\(name)", &found) == 0 ? Int(found.st_size) : 0
            }
        }
        #expect(sizes.allSatisfy { $0 > 1_000 }, "\(sizes)")
    }

    @Test("nothing is sent to who has not proven himself")
    func stranger() throws {
        let port = try open(.echo)
        let pool = try UDPSocketPool()
        for name in 0..<4 { try pool.open(name, towards: port.local) }
        for name in 0..<4 {
            var bytes = [UInt8](repeating: 0x55, count: 172)
            _ = bytes.withUnsafeMutableBytes {
                RTPHeader(payloadType: 0, sequence: 5, timestamp: 0, ssrc: 77).write(into: $0)
            }
            bytes.withUnsafeBytes { _ = pool.send($0, from: name, to: port.local) }
        }
        var heard = 0
        pool.receive(waitMilliseconds: 300) { _, _ in heard += 1 }
        #expect(heard == 0 && port.takeEvents().isEmpty)
        port.close()
    }

    @Test("when it is closed everybody gets a goodbye and a report")
    func close() throws {
        let port = try open(.conference)
        let pool = try UDPSocketPool()
        for name in 0..<3 { try pool.open(name, towards: port.local) }
        speak(pool, 0..<3, to: port.local, packets: 5)
        // Whoever tells where his RTCP comes from gets ours there.
        for name in 0..<3 { report(pool, name, to: port.local, isLast: false) }
        let patience = HostTime.monotonicNow().advanced(byMilliseconds: 60_000)
        while port.figures.packetsReceived < 3 * 5 + 3, HostTime.monotonicNow() < patience { usleep(20_000) }
        port.close()
        let ends = port.takeEvents().filter { if case .ended(.localHangup, _, _) = $0.body { true } else { false } }
        #expect(ends.count == 3)
        var goodbyes = 0
        // The voices of all who spoke come first.
        while goodbyes < 3, HostTime.monotonicNow() < patience {
            pool.receive(waitMilliseconds: 100) { _, packet in
                guard packet.kind == .rtcp else { return }
                let packets = (try? RTCPCompound.parse(UnsafeRawBufferPointer(packet.bytes))) ?? []
                if packets.contains(where: { if case .bye = $0 { true } else { false } }) { goodbyes += 1 }
            }
        }
        #expect(goodbyes == 3)
    }
}

extension HostTime {
    /// Sleeps until this time.
    fileprivate func sleepUntilTest() {
        let left = milliseconds(since: .monotonicNow())
        if left > 0 { usleep(UInt32(left * 1000)) }
    }
}
