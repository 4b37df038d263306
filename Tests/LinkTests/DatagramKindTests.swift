import Link
import Testing

/// RFC 7983 section 7, RFC 5761 section 4.
@Suite struct DatagramKindTests {
    private func kind(_ first: UInt8, _ second: UInt8) -> DatagramKind {
        [first, second].withUnsafeBytes { DatagramKind($0) }
    }

    @Test func firstBytesTellTheProtocolsApart() {
        for first in UInt8.min...UInt8.max {
            #expect((kind(first, 0) == .rtp) == (128...191).contains(first), "first byte \(first)")
        }
    }

    @Test func rtcpTypesAreToldFromPayloadTypesWithAndWithoutMarker() {
        for payloadType in UInt8(0)...127 {
            let isReserved = (64...95).contains(payloadType)
            #expect(kind(0x80, payloadType) == .rtp)
            #expect(kind(0x80, payloadType | 0x80) == (isReserved ? .rtcp : .rtp), "payload type \(payloadType)")
        }
    }

    @Test func aSingleByteIsNothing() {
        #expect([0x80 as UInt8].withUnsafeBytes { DatagramKind($0) } == .other)
        #expect(DatagramKind(UnsafeRawBufferPointer(start: nil, count: 0)) == .other)
    }
}
