import ICE
import Link
import Testing

@Suite("STUN messages") struct STUNMessageTests {
    private let id = TransactionID(bits: 0x0102_0304_0506_0708_090a_0b0c)
    private let key = STUNKey(shortTerm: "password of 22 letters")

    private func problem(_ bytes: [UInt8]) -> STUNProblem? {
        do throws(STUNProblem) {
            _ = try STUNMessage(bytes)
            return nil
        } catch { return error }
    }

    @Test("class and method come back as they were written", arguments: [0, 1, 2, 3])
    func types(kind: UInt16) throws {
        let messageClass = try #require(STUNClass(rawValue: kind))
        for method: UInt16 in [1, 3, 9, 0x10, 0x7f, 0x80, 0xabc, 0xfff] {
            let bytes = STUNBuilder(messageClass, STUNMethod(rawValue: method), id).finished()
            let message = try STUNMessage(bytes)
            #expect(message.messageClass == messageClass && message.method.rawValue == method && message.transaction == id)
        }
    }

    @Test("addresses of both families come back, masked and in clear", arguments: ["192.0.2.77:1", "[2001:db8::9]:65535"])
    func addresses(text: String) throws {
        var builder = STUNBuilder(.success, .binding, id)
        builder.add(.xorMappedAddress, address(text))
        builder.add(.alternateServer, plain: address(text))
        let message = try STUNMessage(builder.finished())
        #expect(message.address(.xorMappedAddress) == address(text))
        #expect(message.plainAddress(.alternateServer) == address(text))
        #expect(message.address(.xorPeerAddress) == nil)
    }

    @Test(
        "an address of another length or family is none",
        arguments: ["00010050e1", "0001a147e112a64300", "0003a147e112a643", ""])
    func badAddresses(value: String) throws {
        var builder = STUNBuilder(.success, .binding, id)
        builder.add(.xorMappedAddress, octets(value))
        #expect(try STUNMessage(builder.finished()).address(.xorMappedAddress) == nil)
    }

    @Test("what is no STUN message is refused with its reason")
    func refused() {
        let good = STUNBuilder(.request, .binding, id).finished()
        #expect(problem([]) == .badLength)
        #expect(problem(Array(good.dropLast())) == .badLength)
        #expect(problem(good + [0, 0, 0, 0]) == .badLength)
        #expect(problem([UInt8](repeating: 0, count: STUNMessage.maximumBytes + 4)) == .badLength)
        #expect(problem([0x80] + good.dropFirst()) == .notSTUN)
        #expect(problem(good[..<4] + [0x21, 0x12, 0xa4, 0x43] + good[8...]) == .notSTUN)
        var many = STUNBuilder(.request, .binding, id)
        for _ in 0...STUNMessage.maximumAttributes { many.add(.priority, number: UInt32(1)) }
        #expect(problem(many.finished()) == .badAttributes)
    }

    @Test("an attribute that reaches past the end is refused")
    func overlong() {
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(.username, text: "abcd")
        var bytes = builder.finished()
        for length: UInt8 in 5...8 {
            bytes[23] = length
            #expect(problem(bytes) == .badAttributes)
        }
    }

    @Test("a wrong FINGERPRINT, or one that is not the last attribute, is refused")
    func fingerprint() {
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(.username, text: "abcd")
        var bytes = builder.finished(key, fingerprint: true)
        #expect(problem(bytes) == nil)
        bytes[bytes.count - 1] ^= 1
        #expect(problem(bytes) == .wrongFingerprint)
        var early = STUNBuilder(.request, .binding, id)
        early.add(.fingerprint, number: UInt32(0))
        early.add(.priority, number: UInt32(1))
        #expect(problem(early.finished()) == .badAttributes)
    }

    @Test("what stands behind the integrity is not believed")
    func behindIntegrity() throws {
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(.priority, number: UInt32(7))
        var bytes = builder.finished(key)
        // USE-CANDIDATE put in by somebody on the way.
        bytes += [0, 0x25, 0, 0]
        bytes[3] += 4
        let message = try STUNMessage(bytes)
        #expect(message.verify(key) == .valid)
        #expect(message.unsigned32(.priority) == 7 && !message.has(.useCandidate))
    }

    @Test("both integrities hold with their key, and a shortened one never does", arguments: [STUNKey.Integrity.sha1, .sha256])
    func integrities(integrity: STUNKey.Integrity) throws {
        let key = STUNKey(shortTerm: "some password", integrity: integrity)
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(.username, text: "abc")
        let bytes = builder.finished(key)
        let message = try STUNMessage(bytes)
        #expect(message.verify(key) == .valid)
        #expect(message.verify(STUNKey(shortTerm: "some passwort", integrity: integrity)) == .wrong)
        var short = bytes
        short.removeLast(4)
        short[3] -= 4
        let offset = integrity == .sha1 ? 31 : 31
        short[offset] -= 4
        #expect(try STUNMessage(short).verify(key) == .wrong)
        #expect(try STUNMessage(builder.finished()).verify(key) == .absent)
    }

    @Test("error codes come back; a nonsensical one is none")
    func errorCodes() throws {
        for code in [300, 401, 438, 487, 500, 699] {
            var builder = STUNBuilder(.error, .binding, id)
            builder.add(errorCode: code, "reason")
            #expect(try STUNMessage(builder.finished()).errorCode == code)
        }
        for value in ["00000200", "00000464", "00000700", "0000", ""] {
            var builder = STUNBuilder(.error, .binding, id)
            builder.add(.errorCode, octets(value))
            #expect(try STUNMessage(builder.finished()).errorCode == nil, "\(value)")
        }
    }

    @Test("attributes that must be understood and are not are named; others are passed over")
    func unknownAttributes() throws {
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(STUNAttribute(rawValue: 0x7fff), [1])
        builder.add(STUNAttribute(rawValue: 0xc057), [1, 2, 3])
        builder.add(.useCandidate, [])
        #expect(try STUNMessage(builder.finished()).unknownAttributes == [STUNAttribute(rawValue: 0x7fff)])
    }

    @Test("keys, passwords and credentials never print")
    func secrets() throws {
        let server = TURNServer(address: address("192.0.2.1:3478"), username: "user", password: "hidden")
        let credentials = try #require(ICECredentials(userFragment: "abcd", password: "hidden-hidden-hidden-hidden"))
        for thing in [key as Any, STUNKey(shortTerm: "hidden"), server, credentials] {
            var dumped = ""
            dump(thing, to: &dumped)
            #expect(!"\(thing)\(String(reflecting: thing))\(dumped)".contains("hidden"))
        }
    }
}
