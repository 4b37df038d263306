import Link
import Media
import RTP
import Realtime
import Testing

/// Who calls at a port that many share, in virtual time.
@Suite("Callers of one port") struct CallRoomTests {
    private static func caller(_ number: Int, port: UInt16 = 5004) -> SocketAddress {
        SocketAddress(IPAddress(v4: 0x0a00_0000 + UInt32(number)), port: port)
    }

    private func room(calls: Int = 10, allow: [CIDR] = []) -> CallRoom {
        CallRoom(limits: .init(calls: calls), allow: allow, payloadTypes: PayloadTypeTable(audio: 0, telephoneEvent: 101).known)
    }

    private func give(
        _ room: inout CallRoom, _ sequence: Int, from source: SocketAddress, ssrc: UInt32, at milliseconds: Double,
        type: UInt8 = 0, payload: Int = 8, refusal: PortRefusal? = nil, isPutOff: Bool = false
    ) -> CallRoom.Verdict {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: RTPHeader.fixedLength + payload)
        let header = RTPHeader(
            payloadType: type, sequence: UInt16(truncatingIfNeeded: sequence), timestamp: 0, ssrc: ssrc)
        _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        return bytes.withUnsafeMutableBytes {
            room.receive(
                rtp: ReceivedPacket($0, arrival: HostTime(milliseconds: milliseconds), source: source), refusal: refusal,
                isPutOff: isPutOff)
        }
    }

    private func giveRTCP(_ room: inout CallRoom, from source: SocketAddress, ssrc: UInt32) -> CallRoom.Verdict {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: ssrc, reports: []).append(to: &bytes)
        return bytes.withUnsafeMutableBytes {
            room.receive(rtcp: ReceivedPacket($0, arrival: .zero, source: source, isOnControlPort: true))
        }
    }

    /// Two packets in sequence: a caller.
    private func admit(_ room: inout CallRoom, _ source: SocketAddress, ssrc: UInt32, at time: Double = 0) -> CallRoom.Verdict {
        _ = give(&room, 1, from: source, ssrc: ssrc, at: time)
        return give(&room, 2, from: source, ssrc: ssrc, at: time + 20)
    }

    @Test("two packets in sequence are a proof, and the first is not lost")
    func proof() {
        var room = room()
        let source = Self.caller(1)
        #expect(give(&room, 7, from: source, ssrc: 9, at: 0) == .waiting)
        #expect(room.count == 0)
        #expect(give(&room, 8, from: source, ssrc: 9, at: 20) == .caller(0))
        #expect(room.held.count == 1 && room.held[0].bytes.count == 20 && room.held[0].arrival == .zero)
        #expect(give(&room, 9, from: source, ssrc: 9, at: 40) == .call(0))
        #expect(room.count == 1 && room.source(of: 0) == source)
    }

    @Test("who is put off is let in by a later packet, and what was said till then is not lost; a refusal comes first")
    func putOff() {
        var room = room()
        let source = Self.caller(1)
        #expect(give(&room, 7, from: source, ssrc: 9, at: 0, isPutOff: true) == .waiting)
        for packet in 8...12 {
            #expect(give(&room, packet, from: source, ssrc: 9, at: Double(packet) * 20, isPutOff: true) == .waiting)
        }
        #expect(room.count == 0 && room.refusals == RefusalCounts())
        #expect(give(&room, 13, from: source, ssrc: 9, at: 260) == .caller(0))
        #expect(room.held.count == 6)
        #expect(give(&room, 14, from: source, ssrc: 9, at: 280, isPutOff: true) == .call(0))
        _ = give(&room, 1, from: Self.caller(2), ssrc: 10, at: 300, isPutOff: true)
        let verdict = give(&room, 2, from: Self.caller(2), ssrc: 10, at: 320, refusal: .late, isPutOff: true)
        #expect(verdict == .dropped(.late))
    }

    @Test(
        "who was turned away is told once when his RTCP comes, from the port of his RTP or the next one; others are strangers",
        arguments: [UInt16(5004), 5005])
    func turnedAway(controlPort: UInt16) {
        let control = Self.caller(1, port: controlPort)
        var room = room()
        _ = give(&room, 1, from: Self.caller(1), ssrc: 9, at: 0)
        #expect(giveRTCP(&room, from: control, ssrc: 9) == .dropped(.stranger), "nothing was decided yet")
        #expect(give(&room, 2, from: Self.caller(1), ssrc: 9, at: 20, refusal: .late) == .dropped(.late))
        #expect(giveRTCP(&room, from: control, ssrc: 9) == .turnedAway)
        #expect(
            giveRTCP(&room, from: control, ssrc: 9) == .dropped(.stranger),
            "a forged address brings its owner no more than that")
        #expect(giveRTCP(&room, from: Self.caller(1), ssrc: 10) == .dropped(.stranger))
        #expect(giveRTCP(&room, from: Self.caller(2), ssrc: 9) == .dropped(.stranger))
        for (packet, time) in [(3, 1100.0), (4, 1120)] {
            _ = give(&room, packet, from: Self.caller(1), ssrc: 9, at: time, refusal: .late)
        }
        #expect(giveRTCP(&room, from: control, ssrc: 9) == .turnedAway, "he was turned away again")
        room.advance(to: HostTime(milliseconds: 2300))
        #expect(giveRTCP(&room, from: control, ssrc: 9) == .dropped(.stranger), "it is forgotten after a second")
    }

    @Test("one packet, packets out of sequence, of another payload type or a second apart prove nothing")
    func noProof() {
        var room = room()
        let source = Self.caller(1)
        #expect(give(&room, 7, from: source, ssrc: 9, at: 0) == .waiting)
        #expect(give(&room, 9, from: source, ssrc: 9, at: 20) == .waiting)
        #expect(give(&room, 10, from: source, ssrc: 9, at: 1100) == .waiting)
        #expect(give(&room, 11, from: source, ssrc: 9, at: 1120, type: 96) == .dropped(.garbage))
        var bytes: [UInt8] = [0, 1, 2]
        let verdict = bytes.withUnsafeMutableBytes {
            room.receive(rtp: ReceivedPacket($0, arrival: .zero, source: source))
        }
        #expect(verdict == .dropped(.garbage) && room.count == 0)
    }

    @Test("packets without a payload prove nothing, and change nothing in a call")
    func emptyPackets() {
        var room = room()
        let source = Self.caller(1)
        for sequence in 1...6 {
            #expect(give(&room, sequence, from: source, ssrc: 9, at: Double(sequence), payload: 0) == .dropped(.garbage))
        }
        #expect(room.count == 0 && room.refusals[.garbage] == 6)
        #expect(give(&room, 7, from: source, ssrc: 9, at: 20, payload: 1) == .waiting)
        #expect(give(&room, 8, from: source, ssrc: 9, at: 40, type: 101, payload: 4) == .caller(0))
        #expect(give(&room, 9, from: source, ssrc: 9, at: 60, payload: 0) == .call(0))
    }

    @Test("callers are told apart by address, port and SSRC")
    func apart() {
        var room = room()
        #expect(admit(&room, Self.caller(1), ssrc: 1) == .caller(0))
        #expect(admit(&room, Self.caller(2), ssrc: 1) == .caller(1), "the same SSRC elsewhere, not in sequence with the first")
        #expect(admit(&room, Self.caller(1, port: 5006), ssrc: 3) == .caller(2))
        #expect(admit(&room, Self.caller(1), ssrc: 4) == .caller(3), "a second stream of one socket")
        #expect(give(&room, 3, from: Self.caller(1), ssrc: 1, at: 40) == .call(0))
        #expect(give(&room, 3, from: Self.caller(1), ssrc: 4, at: 40) == .call(3))
    }

    @Test("as many calls as there may be; who leaves makes room, and his seat is given again")
    func full() {
        var room = room(calls: 2)
        #expect(admit(&room, Self.caller(1), ssrc: 1) == .caller(0))
        #expect(admit(&room, Self.caller(2), ssrc: 2) == .caller(1))
        #expect(admit(&room, Self.caller(3), ssrc: 3) == .dropped(.full))
        #expect(give(&room, 3, from: Self.caller(3), ssrc: 3, at: 40) == .dropped(.refusedBefore))
        #expect(room.refusals[.full] == 1 && room.refusals.callers == 1)
        room.leave(0)
        room.leave(0)
        #expect(room.count == 1)
        // Who went on trying is asked for his proof again.
        #expect(give(&room, 60, from: Self.caller(3), ssrc: 3, at: 1100) == .waiting)
        #expect(give(&room, 61, from: Self.caller(3), ssrc: 3, at: 1120) == .caller(0))
    }

    @Test("nobody new while the machine is late; who is there stays")
    func late() {
        var room = room()
        #expect(admit(&room, Self.caller(1), ssrc: 1) == .caller(0))
        _ = give(&room, 1, from: Self.caller(2), ssrc: 2, at: 0, refusal: .late)
        #expect(give(&room, 2, from: Self.caller(2), ssrc: 2, at: 20, refusal: .late) == .dropped(.late))
        #expect(give(&room, 3, from: Self.caller(1), ssrc: 1, at: 40, refusal: .late) == .call(0))
        #expect(room.refusals[.late] == 1)
    }

    @Test("5,000 SSRCs from one address get 64 calls, and another address gets its own")
    func manySSRCs() {
        var room = room(calls: 1000)
        let attacker = Self.caller(1)
        var admitted = 0
        for round in 0..<3 {
            for ssrc in 0..<5000 {
                let time = Double(round) * 20 + Double(ssrc) * 0.001
                if case .caller = give(&room, round, from: attacker, ssrc: UInt32(ssrc), at: time) { admitted += 1 }
            }
        }
        #expect(admitted <= 64 && room.count == admitted)
        #expect(room.refusals[.flood] > 0)
        _ = admit(&room, Self.caller(2), ssrc: 77, at: 70)
        let verdict = (3...4).map { give(&room, $0, from: Self.caller(2), ssrc: 77, at: 70 + Double($0) * 20) }
        #expect(verdict.contains { if case .call = $0 { true } else if case .caller = $0 { true } else { false } })
    }

    @Test("100,000 strangers with a packet each get nothing, and cost a bounded number of places")
    func strangers() {
        var room = room(calls: 1000)
        for number in 0..<100_000 {
            let verdict = give(&room, number, from: Self.caller(number), ssrc: UInt32(number), at: Double(number) * 0.01)
            #expect(verdict == .waiting || verdict == .dropped(.flood))
            room.advance(to: HostTime(milliseconds: Double(number) * 0.01))
        }
        #expect(room.count == 0 && room.refusals[.flood] > 90_000)
        // A second later it is over.
        room.advance(to: HostTime(milliseconds: 3000))
        #expect(admit(&room, Self.caller(5), ssrc: 5, at: 3000) == .caller(0))
    }

    @Test("who is not allowed is not looked at")
    func allowed() throws {
        var room = room(allow: [try CIDR("10.0.0.0/30")])
        #expect(admit(&room, Self.caller(9), ssrc: 1) == .dropped(.stranger))
        #expect(admit(&room, Self.caller(1), ssrc: 1) == .caller(0))
    }

    @Test("a stream that goes on from elsewhere is the same call once the old place is silent, and not before")
    func moves() {
        var room = room()
        let (old, new) = (Self.caller(1), Self.caller(1, port: 9000))
        _ = admit(&room, old, ssrc: 1)
        for index in 3...50 { _ = give(&room, index, from: old, ssrc: 1, at: Double(index) * 20) }
        #expect(give(&room, 51, from: new, ssrc: 1, at: 1020) == .waiting)
        #expect(give(&room, 52, from: new, ssrc: 1, at: 1040) == .waiting)
        #expect(room.source(of: 0) == old)
        for index in 53...74 { _ = give(&room, index, from: new, ssrc: 1, at: Double(index) * 20) }
        let verdict = give(&room, 75, from: new, ssrc: 1, at: 1520)
        #expect(verdict == .continued(0) && room.source(of: 0) == new && room.count == 1)
        #expect(give(&room, 76, from: new, ssrc: 1, at: 1540) == .call(0))
    }

    @Test("another SSRC from the address of a silent call is that call")
    func anotherSSRC() {
        var room = room()
        let source = Self.caller(1)
        _ = admit(&room, source, ssrc: 1)
        #expect(admit(&room, source, ssrc: 2, at: 1000) == .continued(0))
        #expect(room.count == 1 && give(&room, 3, from: source, ssrc: 2, at: 1040) == .call(0))
    }

    @Test("RTCP belongs to whose SSRC it bears, from his address only")
    func control() {
        var room = room()
        _ = admit(&room, Self.caller(1), ssrc: 1)
        _ = admit(&room, Self.caller(2), ssrc: 2)
        #expect(giveRTCP(&room, from: Self.caller(2, port: 5005), ssrc: 2) == .call(1))
        #expect(room.controlSource(of: 1) == Self.caller(2, port: 5005) && room.controlSource(of: 0) == nil)
        #expect(giveRTCP(&room, from: Self.caller(3), ssrc: 2) == .dropped(.stranger))
        #expect(giveRTCP(&room, from: Self.caller(2), ssrc: 99) == .dropped(.stranger))
    }

    @Test("RTCP of two calls under one SSRC goes to whose port it comes from, and to the older one when the newer has left")
    func controlOfOneSSRC() {
        var room = room()
        let (older, newer) = (Self.caller(1), Self.caller(1, port: 6004))
        #expect(admit(&room, older, ssrc: 7) == .caller(0))
        #expect(giveRTCP(&room, from: Self.caller(1, port: 9001), ssrc: 7) == .call(0), "nobody else has that SSRC")
        #expect(give(&room, 40_000, from: newer, ssrc: 7, at: 20) == .waiting)
        #expect(give(&room, 40_001, from: newer, ssrc: 7, at: 40) == .caller(1))
        #expect(giveRTCP(&room, from: Self.caller(1, port: 5005), ssrc: 7) == .call(0))
        #expect(giveRTCP(&room, from: Self.caller(1, port: 6005), ssrc: 7) == .call(1))
        #expect(room.controlSource(of: 0) == Self.caller(1, port: 5005))
        #expect(giveRTCP(&room, from: Self.caller(1, port: 9003), ssrc: 7) == .dropped(.stranger), "whose it is nobody knows")
        room.leave(1)
        #expect(giveRTCP(&room, from: Self.caller(1, port: 9003), ssrc: 7) == .call(0))
    }

    @Test("RTCP from a port of its own stays a call's when another one has its SSRC")
    func controlHeardBefore() {
        var room = room()
        let control = Self.caller(1, port: 9001)
        #expect(admit(&room, Self.caller(1), ssrc: 7) == .caller(0))
        #expect(giveRTCP(&room, from: control, ssrc: 7) == .call(0))
        _ = give(&room, 40_000, from: Self.caller(1, port: 6004), ssrc: 7, at: 0)
        #expect(give(&room, 40_001, from: Self.caller(1, port: 6004), ssrc: 7, at: 20) == .caller(1))
        #expect(giveRTCP(&room, from: control, ssrc: 7) == .call(0))
        room.leave(0)
        #expect(giveRTCP(&room, from: control, ssrc: 7) == .call(1), "the one that is left has the SSRC alone")
    }

    @Test("500 hang up in one millisecond, and 500 others get their seats")
    func allAtOnce() {
        var room = room(calls: 500)
        for number in 0..<500 {
            #expect(admit(&room, Self.caller(number), ssrc: UInt32(number), at: 0) == .caller(number))
        }
        for seat in (0..<500).reversed() { room.leave(seat) }
        #expect(room.count == 0)
        var seats: Set<Int> = []
        for number in 0..<500 {
            if case .caller(let seat) = admit(&room, Self.caller(1000 + number), ssrc: UInt32(number), at: 2000) {
                seats.insert(seat)
            }
        }
        #expect(seats == Set(0..<500))
    }
}
