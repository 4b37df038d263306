import Link
import Testing

@Suite struct ColonHexTests {
    @Test("Octets are written as those of a fingerprint: two digits each, in upper case, with colons between them")
    func octets() {
        let octets: [UInt8] = [0x4a, 0xad, 0x00, 0x0f, 0xff]
        #expect(octets.colonHex == "4A:AD:00:0F:FF")
        #expect([UInt8]().colonHex.isEmpty)
    }
}
