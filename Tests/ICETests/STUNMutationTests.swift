import ICE
import Link
import Realtime
import Testing

@Suite("Mutated STUN") struct STUNMutationTests {
    private static let key = STUNKey(shortTerm: "password of 22 letters")

    private static var seeds: [[UInt8]] {
        let id = TransactionID(bits: 77)
        var check = STUNBuilder(.request, .binding, id)
        check.add(.username, text: "abcd:efgh")
        check.add(.priority, number: UInt32(1))
        check.add(.iceControlling, number: UInt64(1))
        check.add(.useCandidate, [])
        var answer = STUNBuilder(.success, .binding, id)
        answer.add(.xorMappedAddress, address("[2001:db8::1]:5000"))
        var refusal = STUNBuilder(.error, .allocate, id)
        refusal.add(errorCode: 401, "Unauthorized")
        refusal.add(.realm, text: "example.org")
        refusal.add(.nonce, text: "obMatJos2gAAAnonce")
        refusal.add(.passwordAlgorithms, [0, 2, 0, 0, 0, 1, 0, 0])
        var allocated = STUNBuilder(.success, .allocate, id)
        allocated.add(.xorRelayedAddress, address("192.0.2.1:5000"))
        allocated.add(.xorMappedAddress, address("192.0.2.2:5000"))
        allocated.add(.lifetime, number: UInt32(600))
        var data = STUNBuilder(.indication, .data, id)
        data.add(.xorPeerAddress, address("192.0.2.1:5000"))
        data.add(.data, [0x80, 0, 0, 1])
        let sha256 = STUNKey(shortTerm: "password", integrity: .sha256)
        return [
            check.finished(key, fingerprint: true), answer.finished(key, fingerprint: true), refusal.finished(),
            allocated.finished(sha256), data.finished(), [0x40, 0, 0, 4, 1, 2, 3, 4],
        ]
    }

    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<(1 + random.next() % 3) where !bytes.isEmpty {
            let place = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 6 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 2: bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 8)], at: place)
            case 4: bytes.removeSubrange(place..<min(bytes.count, place + 4))
            default: bytes.swapAt(place, Int(random.next() % UInt64(bytes.count)))
            }
        }
        // Half of them with a length that fits, so that they get past the header.
        if bytes.count >= 20, random.next() % 2 == 0 {
            bytes.removeLast(bytes.count % 4)
            bytes[2] = UInt8((bytes.count - 20) >> 8)
            bytes[3] = UInt8((bytes.count - 20) & 255)
        }
        return bytes
    }

    @Test("200,000 messages: each is read or refused, and everything can be asked of it", arguments: [1])
    func parsing(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var read = 0
        let seeds = Self.seeds
        for _ in 0..<200_000 {
            let bytes = Self.mutate(seeds[Int(random.next() % UInt64(seeds.count))], &random)
            guard let message = try? STUNMessage(bytes) else { continue }
            read += 1
            _ = message.verify(Self.key)
            _ = (message.errorCode, message.unknownAttributes, message.text(.username), message.value(.data))
            _ = (message.address(.xorMappedAddress), message.addresses(.xorRelayedAddress))
            _ = (message.plainAddress(.alternateServer), message.unsigned32(.lifetime), message.unsigned64(.iceControlling))
        }
        // Neither all refused at the door, nor all let through.
        #expect((20_000..<180_000).contains(read), "seed \(seed): \(read) were read")
    }

    @Test("20,000 of a call's own datagrams, changed, disturb nothing in it", arguments: [1, 2])
    func call(seed: UInt64) {
        let network = SimulatedNetwork(seed: seed)
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.turnServers = [server.turn]
        let caller = Endpoint(
            "caller", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: seed)
        let callee = Endpoint(
            "callee", in: network, [ip("203.0.113.2")], role: .controlled, configuration: configuration, seed: seed + 100)
        var recorded: [(bytes: [UInt8], source: SocketAddress, destination: SocketAddress)] = []
        network.tap = { recorded.append(($0, $1, $2)) }
        trickle(caller, callee, in: network)
        network.run(10_000)
        let selected = callee.agent.selected
        #expect(selected?.kind == .host, "seed \(seed)")
        let own = recorded.filter { $0.destination.address == ip("203.0.113.2") }
        #expect(own.count > 10)
        var random = SplitMix64(seed: seed)
        for round in 0..<20_000 {
            let item = own[Int(random.next() % UInt64(own.count))]
            let source = round % 3 == 0 ? address("203.0.113.66:666") : item.source
            let bytes = Self.mutate(item.bytes, &random)
            // A datagram that the changes left as it was is the peer's own.
            guard bytes != item.bytes, !bytes.isEmpty else { continue }
            callee.take(bytes, from: source, to: item.destination, now: network.now)
        }
        network.run(1000)
        #expect(callee.agent.selected?.remote == selected?.remote, "seed \(seed)")
        #expect(callee.agent.remoteCandidates.count < 5, "seed \(seed) \(callee.agent.remoteCandidates.map(\.text))")
        #expect(caller.speak(9))
        network.run(100)
        #expect(callee.heardNumbers.last == 9, "seed \(seed)")
    }
}
