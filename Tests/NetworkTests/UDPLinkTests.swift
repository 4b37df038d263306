import Glibc
import Link
import Network
import RTP
import Realtime
import Testing

@Suite struct UDPLinkTests {
    private func pair(_ address: IPAddress, rtcp: RTCPTransport) throws -> (caller: UDPLink, listener: UDPLink) {
        let listener = try UDPLink(bind: address, rtcp: rtcp)
        return (try UDPLink(bind: address, remote: listener.local, rtcp: rtcp), listener)
    }

    private func exchange(over address: IPAddress, rtcp: RTCPTransport) throws {
        let (caller, listener) = try pair(address, rtcp: rtcp)
        #expect(!listener.send(packet(1)) && listener.statistics.sentToNobody == 1, "nobody is known yet")
        #expect(caller.send(packet(1)))
        let first = listener.receive(1)
        #expect(first.map(\.bytes) == [packet(1)] && first.map(\.kind) == [.rtp])
        #expect(first.map(\.source) == [caller.local] && listener.peer == nil, "the socket chooses nobody itself")
        listener.setPeer(LinkPeer(media: caller.local))
        #expect(listener.send(packet(9)) && listener.send(control: report(ssrc: 9)))
        #expect(caller.send(control: report()))
        let control = listener.receive(1)
        #expect(control.map(\.bytes) == [report()] && control.map(\.kind) == [.rtcp])
        #expect(control.map(\.isOnControlPort) == [rtcp != .mux])
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
        let listener = try UDPLink()
        let caller = try UDPLink(remote: listener.reachable)
        caller.send(packet(1))
        #expect(listener.receive(1).map(\.source) == [SocketAddress(loopback, port: caller.local.port)])
        listener.setPeer(LinkPeer(media: SocketAddress(loopback, port: caller.local.port)))
        listener.send(packet(2))
        #expect(caller.receive(1).map(\.bytes) == [packet(2)])
    }

    /// Begins like a record of DTLS.
    private static let record: [UInt8] = [22, 254, 253] + [UInt8](repeating: 7, count: 40)

    @Test(arguments: [loopback, nil])
    func handshakesOfOthersComeToADoorOfTheirOwn(address: IPAddress?) throws {
        let link = try UDPLink(bind: address)
        var peer = try UDPLink(bind: loopback, remote: link.reachable)
        do {
            let door = try UDPLink(besides: link, of: peer.local)
            #expect(door.local.port == link.local.port)
            // The kernel would spread them by their source, were it not told otherwise.
            for number in 0..<20 {
                let other = try UDPLink(bind: loopback, remote: link.reachable)
                other.send(Self.record)
                other.send(packet(UInt16(number)))
                peer.send(Self.record + [1])
                peer.send(packet(UInt16(number), ssrc: 2))
                #expect(door.receive(1).map(\.bytes) == [Self.record])
                let expected = [packet(UInt16(number)), Self.record + [1], packet(UInt16(number), ssrc: 2)]
                #expect(Set(link.receive(3).map(\.bytes)) == Set(expected))
                // The peer moves, and is known at its new place.
                peer = try UDPLink(bind: loopback, remote: link.reachable)
                link.setPeer(LinkPeer(media: peer.local))
            }
            #expect(throws: NetworkError.portTaken(link.local.port)) {
                _ = try UDPLink(bind: address, localPort: link.local.port)
            }
        }
        let caller = try UDPLink(bind: loopback, remote: link.reachable)
        caller.send(Self.record)
        #expect(link.receive(1).map(\.bytes) == [Self.record], "the door is closed")
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
        // The kernel turns stamping on some time after the first socket asks for it, later where all processors are busy; until
        // then it stamps at reading.
        var lateness: [Double] = []
        for sequence in UInt16(0)..<100 {
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

    @Test("whoever is not admitted is dropped by the kernel and counted", arguments: [true, false])
    func admission(isDual: Bool) throws {
        // A socket of both families hears IPv4 in mapped form; its filter sees the real headers.
        let listener = isDual ? try UDPLink() : try UDPLink(bind: loopback)
        let friend = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        let stranger = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        listener.admit(.only(friend.local))
        for sequence in UInt16(1)...50 {
            #expect(stranger.send(packet(sequence, ssrc: 666), to: listener.reachable) == 0)
        }
        #expect(friend.send(packet(1), to: listener.reachable) == 0)
        #expect(listener.receive(1).map(\.bytes) == [packet(1)])
        #expect(listener.statistics.received == 1 && listener.statistics[.kernel] == 50)
        listener.admit(.anyone)
        #expect(stranger.send(packet(7, ssrc: 666), to: listener.reachable) == 0)
        #expect(listener.receive(1).map(\.bytes) == [packet(7, ssrc: 666)])
    }

    @Test(.enabled(if: hasIPv6, "no IPv6 loopback here"))
    func admissionKnowsIPv6Addresses() throws {
        let home = try IPAddress("::1")
        let listener = try UDPLink(bind: home)
        let friend = try UDPSocket(binding: SocketAddress(home, port: 0))
        let stranger = try UDPSocket(binding: SocketAddress(home, port: 0))
        listener.admit(.only(friend.local))
        #expect(stranger.send(packet(1, ssrc: 666), to: listener.local) == 0)
        #expect(friend.send(packet(1), to: listener.local) == 0)
        #expect(listener.receive(1).map(\.bytes) == [packet(1)])
        #expect(listener.statistics[.kernel] == 1)
    }

    @Test func oneTurnReadsWhatAStandstillLeftBehind() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        // Three seconds of a stream of 20 ms.
        for sequence in UInt16(0)..<150 { #expect(caller.send(packet(sequence))) }
        #expect(listener.isReadable(withinMilliseconds: 1000))
        var count = 0
        listener.receive(now: .monotonicNow()) { _ in count += 1 }
        #expect(count == 150)
    }

    @Test func whatIsTooLongIsCounted() throws {
        let (caller, listener) = try pair(loopback, rtcp: .mux)
        let longest = [UInt8](repeating: 0x80, count: PacketLimits.packetBytes)
        #expect(caller.send(longest) && listener.receive(1).map(\.bytes) == [longest], "what may be sent is received")
        let endless = [UInt8](repeating: 0x80, count: PacketLimits.datagramBytes + 1)
        let socket = try UDPSocket(binding: SocketAddress(loopback, port: 0))
        #expect(socket.send(endless, to: listener.local) == 0)
        #expect(listener.receive { listener.statistics[.oversized] == 1 })
    }

    @Test func aTakenPortIsNamed() throws {
        let first = try UDPLink(bind: loopback)
        #expect(throws: NetworkError.portTaken(first.local.port)) {
            try UDPLink(bind: loopback, localPort: first.local.port)
        }
        #expect(NetworkError.portTaken(5004).description.contains("5004"))
    }

    @Test func aTakenControlPortIsNamedToo() throws {
        let blocker = try UDPLink(bind: loopback, rtcp: .separate())
        let control = blocker.local.port + 1
        #expect(throws: NetworkError.portTaken(control)) { try UDPLink(bind: loopback, localPort: control) }
        #expect(blocker.local.port % 2 == 0, "RTP takes the even port of a pair")
    }

    @Test func anAddressOfAnotherMachineCannotBeBound() {
        #expect(throws: NetworkError.addressNotHere("192.0.2.1")) { try UDPLink(bind: IPAddress("192.0.2.1")) }
    }

    @Test(
        "a link-local address is bound at the interface that has it, and one of another machine is named",
        .enabled(if: hasIPv6, "no IPv6 loopback here"))
    func linkLocal() throws {
        #expect(throws: NetworkError.addressNotHere("fe80::dead:beef")) { try UDPLink(bind: IPAddress("fe80::dead:beef")) }
        for address in machineAddresses() where address.family == .v6 && address.isLinkLocal {
            do {
                let link = try UDPLink(bind: address)
                #expect(link.local.scope != 0)
            } catch {
                // Several interfaces of this machine have it.
                #expect(error == NetworkError.system(call: "bind", errno: EINVAL))
            }
        }
    }

    @Test func aPeerThatIsNotThereIsCountedAndNotFatal() throws {
        let gone = try UDPLink(bind: loopback)
        let caller = try UDPLink(bind: loopback, remote: gone.local)
        // The discard port of a loopback address that no other test uses.
        let closed = try SocketAddress(IPAddress("127.0.0.77"), port: 9)
        let alone = try UDPLink(bind: loopback, remote: closed)
        for sequence in UInt16(0)..<10 { #expect(alone.send(packet(sequence)), "an ICMP error stops no packet") }
        #expect(alone.receive { alone.statistics.icmpErrors == 10 }, "\(alone.statistics)")
        #expect(alone.statistics.sent == 10 && alone.statistics.sendFailures == 0)
        #expect(!alone.isReadable(withinMilliseconds: 30), "no error keeps the poll awake")
        #expect(caller.send(packet(1)) && gone.receive(1).count == 1)
    }

    @Test("where RTP does not arrive is told once, RTCP's errors are not", arguments: [loopback, nil])
    func unreachable(bind: IPAddress?) throws {
        // A loopback address that no other test uses.
        let closed = try SocketAddress(IPAddress("127.0.0.78"), port: 9)
        let alone = try UDPLink(bind: bind, rtcp: .separate())
        alone.setPeer(LinkPeer(media: closed))
        #expect(alone.send(control: report()))
        #expect(alone.receive { alone.statistics.icmpErrors == 1 })
        #expect(alone.nextEvent() == nil)
        for sequence in UInt16(0)..<3 { #expect(alone.send(packet(sequence))) }
        #expect(alone.receive { alone.statistics.icmpErrors == 4 })
        #expect(alone.nextEvent() == .unreachable(closed) && alone.nextEvent() == nil)
    }

    @Test(.enabled(if: hasIPv6, "no IPv6 loopback here"))
    func whereRTPDoesNotArriveIsToldOverIPv6Too() throws {
        let closed = try SocketAddress(IPAddress("::1"), port: 9)
        let alone = try UDPLink(remote: closed)
        #expect(alone.send(packet(1)) && alone.receive { alone.statistics.icmpErrors == 1 })
        #expect(alone.nextEvent() == .unreachable(closed))
    }

    @Test("a packet that is too long for UDP, or that may not go there, is a failure of its own and nobody's ICMP error")
    func ownErrors() throws {
        let listener = try UDPLink(bind: loopback)
        let caller = try UDPLink(bind: loopback, remote: listener.local)
        #expect(!caller.send([UInt8](repeating: 0x80, count: 70_000)))
        #expect(caller.statistics.sendFailures == 1 && caller.statistics.lastSendError == EMSGSIZE)
        // No broadcast without SO_BROADCAST.
        let broadcast = try UDPLink(remote: SocketAddress(IPAddress("255.255.255.255"), port: 9))
        #expect(!broadcast.send(packet(1)) && broadcast.statistics.sendFailures == 1)
        #expect(caller.statistics.icmpErrors == 0 && broadcast.statistics.icmpErrors == 0)
        #expect(caller.send(packet(1)) && listener.receive(1).count == 1)
    }

    @Test func separateControlGoesToTheGivenPort() throws {
        let media = try UDPLink(bind: loopback)
        let control = try UDPLink(bind: loopback)
        let caller = try UDPLink(bind: loopback, remote: media.local, rtcp: .separate(remotePort: control.local.port))
        #expect(caller.peer?.control == control.local)
        #expect(caller.send(control: report()))
        #expect(control.receive(1).map(\.bytes) == [report()])
    }

    @Test("a peer that takes RTCP on RTP's port gets it from RTP's port, also when it has moved")
    func agreedPort() throws {
        let peer = try UDPLink(bind: loopback)
        let other = try UDPLink(bind: loopback)
        let caller = try UDPLink(bind: loopback, rtcp: .separate())
        caller.setPeer(LinkPeer(media: peer.local, control: peer.local))
        #expect(caller.send(control: report()))
        #expect(peer.receive(1).map(\.source) == [caller.local])
        caller.setPeer(LinkPeer(media: other.local))
        #expect(caller.peer?.control == other.local)
        caller.setPeer(LinkPeer(media: peer.local, control: other.local))
        #expect(caller.send(control: report()))
        #expect(other.receive(1).map(\.source.port) == [caller.localControlPort])
    }
}
