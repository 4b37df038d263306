import Link
import RTP
import Realtime
import Testing

/// Strict learning of a plain RTP source, in virtual time.
@Suite struct SourceLatchTests {
    private static let caller = SocketAddress(IPAddress(v4: 0xc000_0201), port: 5004)
    private static let otherPort = SocketAddress(IPAddress(v4: 0xc000_0201), port: 7777)
    private static let stranger = SocketAddress(IPAddress(v4: 0xc633_6401), port: 9)

    private func latch(remote: SocketAddress? = nil, allow: [CIDR] = []) -> SourceLatch {
        var latch = SourceLatch(remote: remote, allow: allow, salt: 7)
        latch.expect(PayloadTypeTable(audio: 0, telephoneEvent: 101).known)
        return latch
    }

    /// What became of a packet, as a word.
    private func give(
        _ latch: inout SourceLatch, _ sequence: UInt16, from source: SocketAddress, at milliseconds: Double,
        ssrc: UInt32 = 1, type: UInt8 = 0, payload: Int = 8
    ) -> String {
        var bytes = [UInt8](repeating: 0, count: RTPHeader.fixedLength + payload)
        let header = RTPHeader(payloadType: type, sequence: sequence, timestamp: 0, ssrc: ssrc)
        _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        return give(&latch, bytes, from: source, at: milliseconds)
    }

    private func give(
        _ latch: inout SourceLatch, _ bytes: [UInt8], from source: SocketAddress, at milliseconds: Double
    ) -> String {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes {
            let packet = ReceivedPacket($0, arrival: HostTime(milliseconds: milliseconds), source: source)
            return switch latch.receive(rtp: packet) {
            case .accepted: "accepted"
            case .held: "held"
            case .proven(.peerLearnt): "learnt"
            case .proven(.peerMoved): "moved"
            case .proven: "proven"
            case .dropped(let reason): reason.rawValue
            }
        }
    }

    /// A call of `seconds` from `caller`, the last packet at that time.
    private func established(seconds: Int = 2, remote: SocketAddress? = nil, allow: [CIDR] = []) -> SourceLatch {
        var latch = latch(remote: remote, allow: allow)
        for index in 0...seconds * 50 {
            _ = give(&latch, UInt16(index), from: Self.caller, at: Double(index) * 20)
        }
        return latch
    }

    @Test func twoPacketsInSequenceAreAProofAndBothAreMedia() {
        var latch = latch()
        #expect(give(&latch, 10, from: Self.caller, at: 0) == "held" && latch.source == nil)
        #expect(give(&latch, 11, from: Self.caller, at: 20) == "learnt" && latch.source == Self.caller)
        #expect(latch.held.bytes.count == 20 && latch.held.arrival == .zero)
        #expect(give(&latch, 12, from: Self.caller, at: 40) == "accepted")
    }

    @Test func oneHeaderOfAnUnknownPayloadTypeProvesNothing() {
        var latch = latch()
        for sequence in UInt16(0)..<10 {
            #expect(give(&latch, sequence, from: Self.stranger, at: Double(sequence), type: 77) == "garbage")
        }
        #expect(latch.source == nil)
    }

    @Test func packetsWithoutAPayloadProveNothing() {
        var latch = latch()
        for sequence in UInt16(0)..<6 {
            #expect(give(&latch, sequence, from: Self.stranger, at: Double(sequence), payload: 0) == "garbage")
        }
        #expect(latch.source == nil)
        #expect(give(&latch, 6, from: Self.caller, at: 10, payload: 1) == "held", "comfort noise may be one byte")
        #expect(give(&latch, 7, from: Self.caller, at: 20, payload: 0) == "garbage")
        #expect(give(&latch, 8, from: Self.caller, at: 30, payload: 1) == "held")
        #expect(give(&latch, 9, from: Self.caller, at: 40, type: 101, payload: 4) == "learnt")
    }

    @Test func aPayloadOfPaddingAloneProvesNothing() {
        var bytes = [UInt8](repeating: 4, count: RTPHeader.fixedLength + 4)
        let header = RTPHeader(payloadType: 0, sequence: 1, timestamp: 0, ssrc: 1)
        _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        bytes[0] |= 0x20
        var latch = latch()
        #expect(give(&latch, bytes, from: Self.stranger, at: 0) == "garbage" && latch.source == nil)
    }

    @Test func packetsWithoutAPayloadAreOfTheHeardStreamAndMoveItNowhere() {
        var latch = established()
        for next in UInt16(101)...125 {
            #expect(give(&latch, next, from: Self.caller, at: Double(next) * 20, payload: 0) == "accepted")
        }
        #expect(latch.admitted(at: HostTime(milliseconds: 2600)) == .only(Self.caller), "the stream goes on")
        for next in UInt16(126)...130 {
            #expect(give(&latch, next, from: Self.otherPort, at: Double(next) * 20 + 600, payload: 0) == "stranger")
        }
        #expect(latch.source == Self.caller)
    }

    @Test(arguments: [[], [0x80], [0x80, 0], [UInt8](repeating: 0xff, count: 40)])
    func malformedPacketsProveNothing(bytes: [UInt8]) {
        var latch = latch()
        #expect(give(&latch, bytes, from: Self.stranger, at: 0) == "garbage")
        #expect(give(&latch, bytes, from: Self.stranger, at: 1) == "garbage" && latch.source == nil)
    }

    @Test func packetsOfTwoStreamsOrFromTwoPortsAreNoSequence() {
        var latch = latch()
        #expect(give(&latch, 1, from: Self.caller, at: 0, ssrc: 1) == "held")
        #expect(give(&latch, 2, from: Self.caller, at: 1, ssrc: 2) == "held")
        #expect(give(&latch, 3, from: Self.otherPort, at: 2, ssrc: 2) == "held")
        #expect(give(&latch, 5, from: Self.otherPort, at: 3, ssrc: 2) == "held" && latch.source == nil)
    }

    @Test func aCandidateIsForgottenAfterASecond() {
        var latch = latch()
        #expect(give(&latch, 1, from: Self.caller, at: 0) == "held")
        #expect(give(&latch, 2, from: Self.caller, at: 1001) == "held")
        #expect(give(&latch, 3, from: Self.caller, at: 1021) == "learnt")
    }

    @Test func theFormerCallersLastPacketTakesNoRestartedListener() {
        var latch = latch()
        #expect(give(&latch, 400, from: Self.stranger, at: 0) == "held")
        #expect(give(&latch, 1, from: Self.caller, at: 5, ssrc: 2) == "held")
        #expect(give(&latch, 2, from: Self.caller, at: 25, ssrc: 2) == "learnt" && latch.source == Self.caller)
    }

    @Test func outsideTheAllowListNobodyIsLearnt() throws {
        var latch = latch(allow: [try CIDR("192.0.2.0/24")])
        for sequence in UInt16(1)...3 {
            #expect(give(&latch, sequence, from: Self.stranger, at: Double(sequence)) == "stranger")
        }
        #expect(give(&latch, 1, from: Self.caller, at: 9) == "held" && give(&latch, 2, from: Self.caller, at: 29) == "learnt")
    }

    @Test("two packets back to back from another port take over no live source", arguments: [UInt32(1), 2])
    func liveSource(ssrc: UInt32) throws {
        var latch = established(allow: [try CIDR("0.0.0.0/0")])
        for next in UInt16(101)...104 {
            #expect(give(&latch, next, from: Self.otherPort, at: 2001, ssrc: ssrc) == "stranger")
            #expect(give(&latch, next, from: Self.stranger, at: 2001, ssrc: ssrc) == "stranger")
        }
        #expect(latch.source == Self.caller)
    }

    @Test func theSameStreamMovesInSequenceOnceTheOldAddressIsSilent() {
        var latch = established()
        #expect(give(&latch, 101, from: Self.otherPort, at: 2400) == "stranger", "400 ms of silence are a pause")
        #expect(give(&latch, 125, from: Self.otherPort, at: 2500) == "held")
        #expect(give(&latch, 126, from: Self.otherPort, at: 2520) == "moved" && latch.source == Self.otherPort)
        #expect(give(&latch, 127, from: Self.caller, at: 2540) == "stranger")
    }

    @Test func anotherStreamDoesNotMoveItHoweverLongTheSilence() {
        var latch = established()
        for sequence in UInt16(101)...110 {
            #expect(give(&latch, sequence, from: Self.otherPort, at: 9000, ssrc: 2) == "stranger")
            #expect(give(&latch, sequence &- 60, from: Self.otherPort, at: 9000) == "stranger", "nor an old packet of it")
        }
    }

    @Test func aGivenAddressMaySendFromAnotherPortWhichIsLatchedToo() {
        var latch = latch(remote: Self.caller)
        #expect(give(&latch, 1, from: Self.stranger, at: 0) == "stranger")
        #expect(give(&latch, 1, from: Self.otherPort, at: 0) == "held")
        #expect(give(&latch, 2, from: Self.otherPort, at: 20) == "learnt" && latch.source == Self.otherPort)
        #expect(give(&latch, 3, from: Self.caller, at: 21) == "stranger")
    }

    @Test func whoFallsSilentAtOnceIsLetGoAfterASecond() {
        var latch = latch()
        for index in 0..<20 { _ = give(&latch, UInt16(index), from: Self.stranger, at: Double(index) * 20) }
        #expect(latch.advance(to: HostTime(milliseconds: 1370)) == nil)
        #expect(latch.advance(to: HostTime(milliseconds: 1380)) == .peerLost(Self.stranger) && latch.source == nil)
        #expect(give(&latch, 1, from: Self.caller, at: 1400) == "held")
        #expect(give(&latch, 2, from: Self.caller, at: 1420) == "learnt")
    }

    @Test func whoHasSpokenForHalfASecondStays() {
        var latch = established(seconds: 1)
        #expect(latch.advance(to: HostTime(milliseconds: 29_000)) == nil && latch.source == Self.caller)
    }

    @Test func onlyTheLiveSourceNeedBeListenedTo() {
        var latch = latch()
        #expect(latch.admitted(at: .zero) == .anyone)
        for index in 0..<20 { _ = give(&latch, UInt16(index), from: Self.caller, at: Double(index) * 20) }
        #expect(latch.admitted(at: HostTime(milliseconds: 400)) == .anyone, "it is too young")
        for index in 20..<30 { _ = give(&latch, UInt16(index), from: Self.caller, at: Double(index) * 20) }
        #expect(latch.admitted(at: HostTime(milliseconds: 600)) == .only(Self.caller))
        #expect(latch.admitted(at: HostTime(milliseconds: 1100)) == .anyone, "its stream may go on elsewhere")
    }

    @Test func anotherStreamFromTheHeardAddressIsTheReceiversToJudge() {
        var latch = established()
        #expect(give(&latch, 9, from: Self.caller, at: 2020, ssrc: 2) == "accepted")
        #expect(give(&latch, 10, from: Self.caller, at: 2040, ssrc: 2) == "accepted")
        #expect(give(&latch, 40, from: Self.otherPort, at: 2640, ssrc: 2) == "held", "and is the one that may move now")
    }

    // MARK: - RTCP

    private func admits(_ latch: inout SourceLatch, ssrc: UInt32, from source: SocketAddress, ownPort: Bool) -> Bool {
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: ssrc, reports: []).append(to: &bytes)
        return bytes.withUnsafeMutableBytes {
            latch.admits(
                control: ReceivedPacket($0, arrival: .zero, source: source, isOnControlPort: ownPort))
        }
    }

    @Test func controlOnTheSharedPortComesFromTheHeardAddressAndPort() {
        var young = latch()
        #expect(!admits(&young, ssrc: 1, from: Self.caller, ownPort: false), "RTCP alone shows no peer")
        var latch = established()
        #expect(admits(&latch, ssrc: 1, from: Self.caller, ownPort: false))
        #expect(!admits(&latch, ssrc: 1, from: Self.otherPort, ownPort: false))
        #expect(!admits(&latch, ssrc: 1, from: Self.stranger, ownPort: false))
    }

    @Test func controlOnAPortOfItsOwnIsLatchedByTheStreamsOwnReport() {
        var latch = established()
        let convention = SocketAddress(Self.caller.address, port: Self.caller.port + 1)
        let translated = SocketAddress(Self.caller.address, port: 60_001)
        let forged = SocketAddress(Self.caller.address, port: 60_002)
        #expect(admits(&latch, ssrc: 5, from: convention, ownPort: true))
        #expect(!admits(&latch, ssrc: 5, from: forged, ownPort: true))
        #expect(admits(&latch, ssrc: 1, from: translated, ownPort: true) && latch.controlSource == translated)
        #expect(!admits(&latch, ssrc: 1, from: forged, ownPort: true))
        #expect(!admits(&latch, ssrc: 1, from: Self.stranger, ownPort: true))
    }
}
