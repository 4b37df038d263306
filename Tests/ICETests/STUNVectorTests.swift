import ICE
import Link
import Testing

/// The messages of RFC 5769, and that of RFC 8489 appendix B.1.
private enum Vector {
    static let password = "VOkJxbRl1RmTxUk/WvJxBt"
    static let user = "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}"

    /// RFC 5769 section 2.1.
    static let request = octets(
        """
        00010058 2112a442 b7e7a701 bc34d686 fa87dfae
        80220010 5354554e 20746573 7420636c 69656e74
        00240004 6e0001ff
        80290008 932ff9b1 51263b36
        00060009 6576746a 3a683676 59202020
        00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2
        80280004 e57a3bcf
        """)
    /// RFC 5769 section 2.2.
    static let response4 = octets(
        """
        0101003c 2112a442 b7e7a701 bc34d686 fa87dfae
        8022000b 74657374 20766563 746f7220
        00200008 0001a147 e112a643
        00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7
        80280004 c07d4c96
        """)
    /// RFC 5769 section 2.3.
    static let response6 = octets(
        """
        01010048 2112a442 b7e7a701 bc34d686 fa87dfae
        8022000b 74657374 20766563 746f7220
        00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
        00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41
        80280004 c8fb0b4c
        """)
    /// RFC 5769 section 2.4.
    static let longTerm = octets(
        """
        00010060 2112a442 78ad3433 c6ad72c0 29da412e
        00060012 e3839ee3 8388e383 aae38383 e382afe3 82b90000
        0015001c 662f2f34 39396b39 35346436 4f4c3334 6f4c3946 53547679 36347341
        0014000b 6578616d 706c652e 6f726700
        00080014 f6702465 6dd64a3e 02b8e071 2e85c9a2 8ca89666
        """)
    /// RFC 8489 appendix B.1.
    static let longTermSHA256 = octets(
        """
        00010088 2112a442 78ad3433 c6ad72c0 29da412e
        001e0020 4a3cf38f ef6992bd a952c678 0417da0f 24819415 569e60b2 05c46e41 407f1704
        00150029 6f624d61 744a6f73 32414141 43662f2f 3439396b 39353464 364f4c33 346f4c39 46535476 79363473 41000000
        0014000b 6578616d 706c652e 6f726700
        001c0020 fd8c2738 60d2e18e bca4c89b 6973befa 7ee8ecc6 9e9642db 326fab65 a0b955ba
        """)
}

@Suite("STUN test vectors") struct STUNVectorTests {
    @Test("the sample request is read, and its integrity holds with its own password only")
    func request() throws {
        let message = try STUNMessage(Vector.request)
        #expect(message.messageClass == .request && message.method == .binding)
        #expect(message.transaction == TransactionID(bits: 0xb7e7_a701_bc34_d686_fa87_dfae))
        #expect(message.text(.username) == "evtj:h6vY")
        #expect(message.unsigned32(.priority) == 0x6e00_01ff)
        #expect(message.unsigned64(.iceControlled) == 0x932f_f9b1_5126_3b36)
        #expect(message.verify(STUNKey(shortTerm: Vector.password)) == .valid)
        #expect(message.verify(STUNKey(shortTerm: Vector.password + "x")) == .wrong)
        #expect(message.unknownAttributes.isEmpty)
    }

    @Test("the sample responses tell their mapped addresses", arguments: [false, true])
    func responses(isV6: Bool) throws {
        let message = try STUNMessage(isV6 ? Vector.response6 : Vector.response4)
        let expected = isV6 ? "[2001:db8:1234:5678:11:2233:4455:6677]:32853" : "192.0.2.1:32853"
        #expect(message.messageClass == .success)
        #expect(message.address(.xorMappedAddress) == address(expected))
        #expect(message.verify(STUNKey(shortTerm: Vector.password)) == .valid)
    }

    @Test("the request with long-term credentials is printed as it stands in the RFC")
    func longTerm() throws {
        let key = STUNKey(username: Vector.user, realm: "example.org", password: "TheMatrIX")
        #expect(try STUNMessage(Vector.longTerm).verify(key) == .valid)
        var builder = STUNBuilder(.request, .binding, TransactionID(bits: 0x78ad_3433_c6ad_72c0_29da_412e))
        builder.add(.username, text: Vector.user)
        builder.add(.nonce, text: "f//499k954d6OL34oL9FSTvy64sA")
        builder.add(.realm, text: "example.org")
        #expect(builder.finished(key) == Vector.longTerm)
    }

    @Test("so is the one with MESSAGE-INTEGRITY-SHA256")
    func longTermSHA256() throws {
        let key = STUNKey(
            username: Vector.user, realm: "example.org", password: "TheMatrIX", algorithm: .md5, integrity: .sha256)
        #expect(try STUNMessage(Vector.longTermSHA256).verify(key) == .valid)
        let userHash = STUNAttribute(rawValue: 0x001e)
        var builder = STUNBuilder(.request, .binding, TransactionID(bits: 0x78ad_3433_c6ad_72c0_29da_412e))
        builder.add(userHash, Vector.longTermSHA256[24..<56])
        builder.add(.nonce, text: "obMatJos2AAACf//499k954d6OL34oL9FSTvy64sA")
        builder.add(.realm, text: "example.org")
        #expect(builder.finished(key) == Vector.longTermSHA256)
    }

    @Test("any changed octet that the integrity covers is noticed")
    func changed() throws {
        let key = STUNKey(shortTerm: Vector.password)
        let behind = Vector.request.count - 8
        for index in 0..<behind {
            var bytes = Vector.request
            bytes[index] ^= 1
            let verification = (try? STUNMessage(bytes))?.verify(key)
            #expect(verification != .valid, "octet \(index)")
        }
    }
}
