import Realtime
import SIP
import Testing

@Suite("Mutated messages") struct MutationFuzzTests {
    private static var seeds: [[UInt8]] {
        let vectors =
            TortureVector.rfc4475Valid + TortureVector.rfc4475Invalid + TortureVector.rfc4475Semantics
            + TortureVector.rfc5118
        return vectors.map(\.bytes).filter { $0.count < 6000 }
    }

    private func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<(1 + random.next() % 4) where !bytes.isEmpty {
            let place = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 7 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next() as UInt64)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next() as UInt64), at: place)
            case 3: bytes.removeLast(Int(random.next() % UInt64(bytes.count)) / 2)
            case 4:
                let end = min(bytes.count, place + Int(random.next() % 60))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5:
                let signs = Array("\"<>;,:\\@%?=[]\r\n \u{0}".utf8)
                bytes[place] = signs[Int(random.next() % UInt64(signs.count))]
            default: bytes.swapAt(place, Int(random.next() % UInt64(bytes.count)))
            }
        }
        return bytes
    }

    @Test("by datagram: no trap, bounded state, the next OPTIONS is answered", arguments: 1...4)
    func datagrams(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let bench = Bench(seed: UInt64(seed))
        let seeds = Self.seeds
        for round in 0..<2500 {
            bench.feed(mutate(seeds[Int(random.next() % UInt64(seeds.count))], &random))
            if round % 100 == 99 {
                bench.advance(Double(random.next() % 5000))
                bench.clear()
                bench.feed(PeerCall(callID: "probe").request(.options, branch: "z9hG4bKprobe\(round)"))
                #expect(bench.codes == [200], "seed \(seed), round \(round)")
            }
        }
        #expect(bench.agent.stateCount < 1000, "seed \(seed)")
        bench.advance(400_000)
        #expect(bench.agent.stateCount == 0, "seed \(seed)")
    }

    @Test("by stream: each connection ends in messages, a wait, or its close", arguments: 1...4)
    func streams(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let bench = Bench(seed: UInt64(seed))
        let seeds = Self.seeds
        for round in 0..<500 {
            let source = SignallingSource(
                transport: .tcp, remote: bench.peer.remote, connection: SignallingConnectionID(number: UInt64(round)))
            for _ in 0..<3 { bench.feed(mutate(seeds[Int(random.next() % UInt64(seeds.count))], &random), from: source) }
            #expect(bench.agent.pendingBytes(on: SignallingConnectionID(number: UInt64(round))) <= 65_536 + 8192)
            if round % 50 == 0 { bench.clear() }
        }
    }

    @Test("what parses is written and parsed again as the same", arguments: 1...4)
    func roundTrip(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) &+ 100)
        let parser = MessageParser()
        let seeds = Self.seeds
        var parsed = 0
        for _ in 0..<2500 {
            let bytes = mutate(seeds[Int(random.next() % UInt64(seeds.count))], &random)
            guard case .message(.request(let request)) = parser.parse(bytes) else { continue }
            parsed += 1
            guard case .message(.request(let again)) = parser.parse(request.bytes) else {
                Issue.record("seed \(seed): not parsed again: \(String(decoding: bytes, as: UTF8.self))")
                continue
            }
            #expect(again.uri == request.uri && again.body == request.body)
            #expect(again.headers.vias == request.headers.vias)
        }
        #expect(parsed > 100)
    }
}
