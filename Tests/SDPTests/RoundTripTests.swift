import Glibc
import Link
import Realtime
import SDP
import Testing

/// From the environment, so that a failure can be repeated.
func seed(_ usual: UInt64) -> UInt64 { getenv("YODEL_SEED").flatMap { UInt64(String(cString: $0)) } ?? usual }

@Suite("Round trips") struct RoundTripTests {
    @Test("what is printed is read as what it was, for 5,000 random descriptions")
    func printedAndRead() throws {
        let seed = seed(8866)
        var generator = DescriptionGenerator(seed: seed)
        for number in 0..<5000 {
            let made = generator.description()
            let bytes = made.bytes
            let read = try SessionDescription(parsing: bytes)
            guard read == made, read.bytes == bytes else {
                Issue.record("seed \(seed), description \(number):\n\(made.text)\nread as\n\(read.text)")
                return
            }
        }
    }

    @Test("what one side offers the other answers, and both are of one mind, for 5,000 random pairs")
    func pairs() throws {
        let seed = seed(3264)
        var random = SplitMix64(seed: seed)
        let all: [AudioCodec] = [
            .opus(parameters: fec, bitRate: 24_000, redundancy: 2), .g722, .pcmu, .pcma, .l16(rate: 16_000),
            .l16(rate: 48_000),
        ]
        var agreed = 0
        for number in 0..<5000 {
            func side(_ address: String) -> Negotiation {
                var made = negotiation(
                    codecs: Array(all.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))),
                    address: address)
                made.capabilities.preference = Bool.random(using: &random) ? .own : .offerer
                made.capabilities.answersWithOneCodec = Bool.random(using: &random)
                made.capabilities.rtcpMux = Bool.random(using: &random)
                made.capabilities.comfortNoise = Bool.random(using: &random)
                made.capabilities.packetTime = [10, 20, 40].randomElement(using: &random) ?? 20
                return made
            }
            var sides = [side("192.0.2.1"), side("192.0.2.2")]
            for round in 0..<4 {
                let from = Int.random(in: 0...1, using: &random)
                sides[from].local.direction = MediaDirection.allCases.randomElement(using: &random) ?? .sendReceive
                sides[from].local.port = UInt16.random(in: 1024...60_000, using: &random)
                let offer = try sides[from].makeOffer()
                do {
                    // Over the wire, as text.
                    let answer = try sides[1 - from].answer(try SessionDescription(parsing: offer.bytes))
                    try sides[from].receive(answer: try SessionDescription(parsing: answer.bytes))
                } catch let error as NegotiationError {
                    sides[from].withdrawOffer()
                    #expect(
                        sides[0].inForce == nil && sides[1].inForce == nil, "seed \(seed), pair \(number), \(error)")
                    break
                }
                agreed += 1
                let one = try #require(sides[0].inForce), two = try #require(sides[1].inForce)
                guard one.sending.codec.format == two.sending.codec.format, one.direction == two.direction.reversed,
                    one.rtcpMux == two.rtcpMux, two.receiving[one.sending.payloadType] == one.sending.codec.format,
                    one.receiving[two.sending.payloadType] == two.sending.codec.format,
                    one.remote?.port == sides[1].local.port, two.remote?.port == sides[0].local.port,
                    one.sending.telephoneEvent.map({ two.receiving[$0.payloadType]?.role == .telephoneEvent }) ?? true,
                    one.sending.redundancy.map({ two.receiving[$0.payloadType]?.role == .redundancy }) ?? true
                else {
                    Issue.record("seed \(seed), pair \(number), round \(round):\n\(one)\n\(two)")
                    return
                }
            }
        }
        #expect(agreed > 5000)
    }
}
