import Glibc
import Network
import RTP
import Realtime
import Testing

@Suite struct MediaTransportTests {
    private func pair(
        _ address: IPAddress, rtcp: RTCPTransport
    ) throws -> (caller: MediaTransport, listener: MediaTransport) {
        let listener = try MediaTransport(bind: address, rtcp: rtcp)
        return (try MediaTransport(bind: address, remote: listener.local, rtcp: rtcp), listener)
    }

    private func exchange(over address: IPAddress, rtcp: RTCPTransport) throws {
        let (caller, listener) = try pair(address, rtcp: rtcp)
        #expect(!listener.send(packet(1)) && listener.statistics.sentToNobody == 1, "nobody is known yet")
        #expect(caller.send(packet(1)))
        let first = listener.receive(1)
        #expect(first.map(\.bytes) == [packet(1)] && first.map(\.kind) == [.rtp])
        #expect(first.map(\.source) == [caller.local] && listener.remote == caller.local)
        #expect(listener.send(packet(9)) && listener.send(control: report(ssrc: 9)))
        #expect(caller.send(control: report()))
        let control = listener.receive(1)
        #expect(control.map(\.bytes) == [report()] && control.map(\.kind) == [.rtcp])
        let back = caller.receive(2)
        #expect(Set(back.map(\.bytes)) == [packet(9), report(ssrc: 9)])
        #expect(caller.statistics.sent == 2 && caller.statistics.received == 2)
    }

    @Test(arguments: [RTCPTransport.mux, .separate()])
    func bothSidesHearEachOtherOverIPv4(rtcp: RTCPTransport) throws { try exchange(over: loopback, rtcp: rtcp) }

    @Test(.enabled(if: hasIPv6, "no IPv6 loopback here"), arguments: [RTCPTransport.mux, .separate()])
    func bothSidesHearEachOtherOverIPv6(rtcp: RTCPTransport) throws {
        try exchange(over: IPAddress("::1"), rtcp: rtcp)
    }

    @Test func aListenerOnEveryInterfaceHearsIPv4() throws {
        let listener = try MediaTransport()
        let caller = try MediaTransport(remote: listener.reachable)
        caller.send(packet(1))
        #expect(listener.receive(1).map(\.source) == [SocketAddress(loopback, port: caller.local.port)])
        listener.send(packet(2))
        #expect(caller.receive(1).map(\.bytes) == [packet(2)])
    }

    @Test func mediaIsMarkedExpedited() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        caller.send(packet(1))
        #expect(listener.receive(1).map(\.trafficClass) == [0xb8])
    }

    @Test(.enabled(if: hasIPv6, "no IPv6 loopback here"))
    func mediaIsMarkedExpeditedOverIPv6() throws {
        let (caller, listener) = try pair(IPAddress("::1"), rtcp: .mux)
        caller.send(packet(1))
        #expect(listener.receive(1).map(\.trafficClass) == [0xb8])
    }

    @Test func arrivalIsWhenTheKernelGotItNotWhenItWasRead() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        // The kernel turns stamping on a little after the first socket asks for it; until then it stamps at reading.
        var lateness: [Double] = []
        for sequence in UInt16(0)..<10 {
            let before = HostTime.monotonicNow()
            caller.send(packet(sequence))
            let after = HostTime.monotonicNow()
            usleep(40_000)
            let arrival = try #require(listener.receive(1).first).arrival
            #expect(arrival.milliseconds(since: before) > -1, "nothing arrives before it was sent")
            lateness.append(arrival.milliseconds(since: after))
            if lateness.last ?? 0 < 1 { break }
        }
        #expect((lateness.last ?? 99) < 1, "milliseconds after sending: \(lateness)")
    }

    @Test func aFreshDatagramIsStampedWithin50Milliseconds() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        let ages = (UInt16(0)..<20).compactMap { sequence -> Double? in
            caller.send(packet(sequence))
            return listener.receive(1).first.map { HostTime.monotonicNow().milliseconds(since: $0.arrival) }
        }
        #expect(ages.count == 20 && (ages.min() ?? -1) >= 0 && (ages.min() ?? 99) < 50, "ages \(ages) ms")
    }

    @Test func strangersAreCountedAndNotHeard() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        caller.send(packet(1))
        #expect(listener.receive(1).count == 1)
        let stranger = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        #expect(stranger.send(packet(1, ssrc: 666), to: listener.local) == 0)
        #expect(listener.receive { listener.statistics.strangers == 1 })
        #expect(listener.remote == caller.local && listener.statistics[.stranger] == 1)
    }

    @Test func outsideTheAllowListNobodyBecomesThePeer() throws {
        let listener = try MediaTransport(bind: loopback, allow: [CIDR("192.0.2.0/24"), CIDR("2001:db8::/32")])
        let caller = try MediaTransport(bind: loopback, remote: listener.local)
        caller.send(packet(1))
        #expect(listener.receive { listener.statistics.strangers == 1 })
        #expect(listener.remote == nil && listener.statistics.received == 0)
    }

    @Test func withinTheAllowListThePeerMayMove() throws {
        let listener = try MediaTransport(bind: loopback, allow: [CIDR("127.0.0.0/8")])
        let first = try MediaTransport(bind: loopback, remote: listener.local)
        let second = try MediaTransport(bind: loopback, remote: listener.local)
        first.send(packet(1))
        #expect(listener.receive(1).count == 1)
        second.send(packet(2))
        #expect(listener.receive(1).count == 1 && listener.remote == first.local, "one packet moves nothing")
        second.send(packet(3))
        #expect(listener.receive(1).count == 1 && listener.remote == second.local && listener.remoteMoves == 1)
        listener.send(packet(9))
        #expect(second.receive(1).map(\.bytes) == [packet(9)])
    }

    @Test func aGivenRemoteStaysAndMaySendFromAnotherPort() throws {
        let speaker = try MediaTransport(bind: loopback)
        let caller = try MediaTransport(bind: loopback, remote: speaker.local)
        let other = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        for sequence in UInt16(1)...3 { #expect(other.send(packet(sequence), to: caller.local) == 0) }
        #expect(caller.receive(3).count == 3 && caller.remote == speaker.local)
        caller.forgetRemote()
        #expect(caller.remote == speaker.local, "what was given is not forgotten")
    }

    @Test func garbageNeverChoosesThePeer() throws {
        let listener = try MediaTransport(bind: loopback)
        let noise = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        let garbage: [[UInt8]] = [
            [], [0x80], Array("INVITE sip:a@b SIP/2.0\r\n".utf8), [0x00, 0x01, 0x00, 0x00], [0x16, 0xfe, 0xff, 0, 0],
            [0x80, 0x00, 0x00], [0xbf] + [UInt8](repeating: 0xff, count: 40),
        ]
        for bytes in garbage { #expect(noise.send(bytes, to: listener.local) == 0) }
        #expect(noise.send([UInt8](repeating: 0x80, count: 3000), to: listener.local) == 0)
        let done = listener.receive {
            listener.statistics.garbage == garbage.count && listener.statistics.oversized == 1
        }
        #expect(done, "\(listener.statistics)")
        #expect(listener.remote == nil && listener.statistics.received == 0)
    }

    @Test func aTakenPortIsNamed() throws {
        let first = try MediaTransport(bind: loopback)
        #expect(throws: NetworkError.portTaken(first.local.port)) {
            try MediaTransport(bind: loopback, localPort: first.local.port)
        }
        #expect(NetworkError.portTaken(5004).description.contains("5004"))
    }

    @Test func aTakenControlPortIsNamedToo() throws {
        let blocker = try MediaTransport(bind: loopback, rtcp: .separate())
        let control = blocker.local.port + 1
        #expect(throws: NetworkError.portTaken(control)) {
            try MediaTransport(bind: loopback, localPort: control)
        }
        #expect(blocker.local.port % 2 == 0, "RTP takes the even port of a pair")
    }

    @Test func anAddressOfAnotherMachineCannotBeBound() {
        #expect(throws: NetworkError.addressNotHere("192.0.2.1")) { try MediaTransport(bind: IPAddress("192.0.2.1")) }
    }

    @Test func aPeerThatIsNotThereIsCountedAndNotFatal() throws {
        let gone = try MediaTransport(bind: loopback)
        let caller = try MediaTransport(bind: loopback, remote: gone.local)
        // The discard port of a loopback address that no other test uses.
        let closed = try SocketAddress(IPAddress("127.0.0.77"), port: 9)
        let alone = try MediaTransport(bind: loopback, remote: closed)
        for sequence in UInt16(0)..<10 { #expect(alone.send(packet(sequence)), "an ICMP error stops no packet") }
        #expect(alone.receive { alone.statistics.icmpErrors == 10 }, "\(alone.statistics)")
        #expect(alone.statistics.sent == 10 && alone.statistics.sendFailures == 0)
        #expect(!alone.isReadable(withinMilliseconds: 30), "no error keeps the poll awake")
        #expect(caller.send(packet(1)) && gone.receive(1).count == 1)
    }

    @Test func theNextCallOnAPortMayComeFromElsewhere() throws {
        let listener = try MediaTransport(bind: loopback)
        for _ in 0..<2 {
            let caller = try MediaTransport(bind: loopback, remote: listener.local)
            caller.send(packet(1))
            #expect(listener.receive(1).count == 1 && listener.remote == caller.local)
            listener.forgetRemote()
        }
    }

    @Test func separateControlGoesToTheGivenPort() throws {
        let media = try MediaTransport(bind: loopback)
        let control = try MediaTransport(bind: loopback)
        let caller = try MediaTransport(
            bind: loopback, remote: media.local, rtcp: .separate(remotePort: control.local.port))
        #expect(caller.rtcpRemote == control.local)
        #expect(caller.send(control: report()))
        #expect(control.receive { control.statistics.strangers == 1 }, "it arrived; RTCP alone names no peer")
    }
}
