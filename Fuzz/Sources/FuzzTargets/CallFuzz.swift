import Codecs
import Link
import Media
import RTP
import Realtime

/// A call, driven by the bytes of an input: each operation is one byte, and what it needs follows.
enum CallFuzz {
    private static let kinds = Codec.allCases

    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let choice = bytes.byte()
        var configuration = CallConfiguration(codec: kinds[Int(choice & 3) % kinds.count], seed: 7)
        configuration.policy = choice & 64 != 0 ? .signalled : .unsignalled
        configuration.policy.waitsForCaller = choice & 4 != 0
        configuration.echoes = choice & 8 != 0
        configuration.alsoReceives = choice & 128 != 0 ? kinds.map { MediaFormat($0) } : []
        configuration.redundancyPayloadType = choice & 16 != 0 ? 121 : nil
        configuration.digits = choice & 32 != 0 ? "1#" : ""
        guard let driver = try? CallDriver(configuration) else { return }
        var stream = FuzzStream(payloadType: configuration.payloadType)
        for _ in 0..<400 where !bytes.isEmpty {
            let operation = bytes.byte()
            switch operation & 7 {
            case 0: driver.receive(rtp: bytes.bytes(Int(bytes.word() & 0x7ff)))
            case 1: driver.receive(rtcp: bytes.bytes(Int(bytes.word() & 0x7ff)))
            case 2: driver.pass(milliseconds: Double(bytes.byte()))
            case 3: driver.perform(bytes.byte())
            case 4: driver.pass(milliseconds: 100 * Double(bytes.byte()), playing: false)
            case 5: stream.change(&bytes)
            default: driver.receive(rtp: stream.next(payload: bytes.bytes(Int(bytes.byte()))))
            }
            if operation & 0x80 != 0 { driver.pass(milliseconds: 20) }
        }
    }
}

/// A stream that mostly goes on as a sender's does.
struct FuzzStream {
    private var sequence: UInt16 = 100
    private var timestamp: UInt32 = 1000
    private var ssrc: UInt32 = 0x1234_5678
    private var payloadType: UInt8
    private var step: UInt32 = 160

    init(payloadType: UInt8) { self.payloadType = payloadType }

    mutating func change(_ bytes: inout FuzzBytes) {
        switch bytes.byte() & 7 {
        case 0: sequence &+= bytes.word()
        case 1: timestamp &+= bytes.long()
        case 2: ssrc ^= UInt32(bytes.byte())
        case 3: payloadType = bytes.byte() & 0x7f
        case 4: step = UInt32(bytes.word())
        case 5: sequence &-= UInt16(bytes.byte())
        default: timestamp &-= UInt32(bytes.byte()) * step
        }
    }

    mutating func next(payload: [UInt8]) -> [UInt8] {
        sequence &+= 1
        timestamp &+= step
        var packet: [UInt8] = [0x80, payloadType, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)]
        for word in [timestamp, ssrc] {
            for shift in [24, 16, 8, 0] { packet.append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
        }
        return packet + payload
    }
}

/// Gives a call what a media thread gives it: frames, pulls and time.
final class CallDriver {
    let link = HeardLink()
    private let call: Call
    private var now = HostTime(milliseconds: 1000)
    private var frame: [Float]
    private var block: [Float]
    private var untilFrame = 0.0
    private var blocks = 0

    init(_ configuration: CallConfiguration) throws {
        call = try Call(configuration: configuration, link: link, now: now)
        frame = (0..<call.frameLength).map { Float($0 % 61) / 100 - 0.3 }
        block = [Float](repeating: 0, count: call.sampleRate / 100)
    }

    func receive(rtp datagram: [UInt8]) {
        datagram.withUnsafeBytes { call.receive(rtp: $0, arrival: now) }
    }

    func receive(rtcp datagram: [UInt8]) {
        datagram.withUnsafeBytes { call.receive(rtcp: $0, arrival: now) }
    }

    func perform(_ choice: UInt8) {
        let command: CallCommand =
            switch choice & 7 {
            case 0, 1: .mute(choice & 8 != 0)
            case 2: .direction(MediaDirection.allCases[Int(choice >> 3 & 3)])
            case 3: .signal(.direction(MediaDirection.allCases[Int(choice >> 3 & 3)]))
            case 4: .volume(Float(choice) / 32)
            case 5: .digits("159*#D")
            case 6: .signal([.ringing, .earlyMedia, .answered, .direction(.sendReceive)][Int(choice >> 3 & 3)])
            default: .send(sending(choice >> 3))
            }
        call.perform(command, now: now, ntp: ntp)
        frame = (0..<call.frameLength).map { Float($0 % 61) / 100 - 0.3 }
    }

    private func sending(_ choice: UInt8) -> SendingFormat {
        let codec = Codec.allCases[Int(choice & 7) % Codec.allCases.count]
        return SendingFormat(MediaFormat(codec), encoder: EncoderSettings(frameMilliseconds: 10 * (1 + Int(choice >> 3))))
    }

    /// Time passes, 10 ms at a time; `playing` or in one leap, as after a standstill.
    func pass(milliseconds: Double, playing: Bool = true) {
        guard playing else {
            now = now.advanced(byMilliseconds: milliseconds)
            return call.advance(to: now, ntp: ntp)
        }
        // An input is an afternoon at most.
        for _ in 0..<Int(milliseconds / 10) where blocks < 3000 {
            blocks += 1
            now = now.advanced(byMilliseconds: 10)
            untilFrame -= 10
            if untilFrame <= 0 {
                _ = frame.withUnsafeBufferPointer { call.send($0, now: now) }
                untilFrame += 1000 * Double(frame.count) / Double(call.sampleRate)
                // A change of codec that waited for a digit.
                if frame.count != call.frameLength { frame = (0..<call.frameLength).map { Float($0 % 61) / 100 - 0.3 } }
            }
            _ = block.withUnsafeMutableBufferPointer { call.pull(into: $0, now: now) }
            precondition(block.allSatisfy(\.isFinite), "what is heard is a number")
            call.advance(to: now, ntp: ntp)
            precondition(call.takeEvents().count < 1000, "events without end")
        }
        _ = call.statistics
    }

    private var ntp: NTPTime { NTPTime(unixNanoseconds: 1_700_000_000_000_000_000 + now.nanoseconds) }
}

/// Nobody's network; remembers who speaks.
final class HeardLink: LinkEnd {
    private(set) var ssrc: UInt32 = 0
    private(set) var longest = 0

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        switch packet.flow {
        case .media: noteMedia(packet.bytes)
        case .control: checkControl(packet.bytes)
        }
        return true
    }

    private func noteMedia(_ packet: UnsafeRawBufferPointer) {
        precondition(packet.count >= 12 && packet.count < 1500, "a packet of \(packet.count) bytes")
        ssrc = packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian
        longest = max(longest, packet.count)
    }

    private func checkControl(_ packet: UnsafeRawBufferPointer) {
        precondition(packet.count >= 8 && packet.count % 4 == 0 && packet.count < 1500, "RTCP of \(packet.count) bytes")
    }
}
