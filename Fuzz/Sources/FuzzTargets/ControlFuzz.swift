import Codecs
import Media

/// What the other side reports of us: it drives in-band FEC, copies and the bit rate.
enum ControlFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = FuzzBytes(input)
        let choice = bytes.byte()
        var configuration = CallConfiguration(codec: choice & 1 == 0 ? .opus : .pcmu, seed: 7)
        configuration.redundancyPayloadType = choice & 2 == 0 ? 121 : nil
        configuration.reportIntervalSeconds = choice & 4 == 0 ? 1 : 5
        configuration.maximumBitrate = choice & 8 == 0 ? nil : 8000 + 1000 * Int(choice >> 4)
        guard let driver = try? CallDriver(configuration) else { return }
        // The other side is heard, or its reports would be a stranger's.
        var stream = FuzzStream(payloadType: configuration.payloadType)
        driver.receive(rtp: stream.next(payload: [0xf8, 0xff, 0xfe]))
        driver.pass(milliseconds: 60)
        for _ in 0..<200 where !bytes.isEmpty {
            let kind = bytes.byte()
            driver.receive(rtcp: compound(kind, about: driver.link.ssrc, &bytes))
            driver.receive(rtp: stream.next(payload: [0xf8, 0xff, 0xfe]))
            driver.pass(milliseconds: 20 * Double(kind >> 5))
        }
    }

    /// A receiver report about us, and what follows it: extended reports, our delay message, or anything.
    private static func compound(_ kind: UInt8, about ssrc: UInt32, _ bytes: inout FuzzBytes) -> [UInt8] {
        var packet: [UInt8] = [0x81, 201, 0, 7]
        append(0x1234_5678, to: &packet)
        append(ssrc, to: &packet)
        // Lost, highest sequence, jitter, last sender report, delay since then.
        for _ in 0..<5 { append(bytes.long(), to: &packet) }
        guard kind & 3 != 0 else { return packet }
        var body = bytes.bytes(Int(bytes.byte()))
        body += [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let type: UInt8 = [207, 207, 204, 200][Int(kind & 3)]
        packet += [0x80 | (kind >> 2 & 0x1f), type, 0, UInt8((4 + body.count) / 4)]
        append(0x1234_5678, to: &packet)
        // Extended reports name whom they are about behind their head.
        if type == 207, body.count >= 8, kind & 4 != 0 {
            for (index, shift) in [24, 16, 8, 0].enumerated() {
                body[4 + index] = UInt8(truncatingIfNeeded: ssrc >> UInt32(shift))
            }
        }
        return packet + body
    }

    private static func append(_ word: UInt32, to packet: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { packet.append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    }
}
