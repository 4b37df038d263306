import CAudit
import Media
import RTP
import Testing

/// Parties who each say how loud they are, and how loud they are.
private struct Room {
    var selection = SpeakerSelection(sampleRate: 16_000)
    var claims: [AudioLevel?]
    /// In dBov; below -120: silence.
    var voices: [Double]
    private(set) var lastBlocks: [[Float]] = []

    init(_ claims: [Int?], voices: [Double]? = nil) {
        self.claims = claims.map { claim in claim.map { AudioLevel(dBov: Double($0)) } }
        self.voices = voices ?? claims.map { Double($0 ?? -20) }
        for _ in claims { selection.join() }
    }

    /// Frames of 20 ms, in two parts each.
    mutating func run(milliseconds: Int) {
        for _ in 0..<milliseconds / 20 {
            let claims = claims
            selection.choose(milliseconds: 20) { claims[$0] }
            lastBlocks = []
            for _ in 0..<2 {
                for party in voices.indices {
                    let amplitude = voices[party] < -120 || !selection.isDecoded(party) ? 0 : level(voices[party])
                    var block = (0..<160).map { $0 % 2 == 0 ? amplitude : -amplitude }
                    block.withUnsafeMutableBufferPointer { selection.take($0, of: party) }
                    lastBlocks.append(block)
                }
            }
        }
    }

    func level(_ dBov: Double) -> Float {
        var amplitude = 1.0
        for _ in 0..<Int(-dBov) { amplitude *= 0.891_250_938_133_745_5 }
        return Float(amplitude)
    }

    var heard: [Int] { voices.indices.filter { !selection.isSilenced($0) } }
    var decoded: [Int] { voices.indices.filter { selection.isDecoded($0) } }
}

@Suite("Who is heard in a large conference") struct SpeakerSelectionTests {
    @Test("is everybody in one of few, and everybody who says nothing of his level; what they say is left as it is")
    func everybody() {
        for claims in [[Int?](repeating: -127, count: SpeakerSelection.leastParties - 1), [Int?](repeating: nil, count: 30)] {
            var room = Room(claims, voices: claims.map { _ in -20 })
            room.run(milliseconds: 5000)
            #expect(room.heard == Array(claims.indices) && room.decoded == Array(claims.indices))
            let amplitude = room.level(-20)
            #expect(room.lastBlocks.allSatisfy { $0.allSatisfy { abs($0) == amplitude } })
        }
    }

    @Test("are the loudest of those who say that they are loud; who says that he is silent is not decoded") func loudest() {
        var room = Room((20..<30).map { -$0 } + [-127, -127, nil])
        room.run(milliseconds: 900)
        #expect(room.heard == Array(0..<8) + [12])
        #expect(room.decoded == room.heard)
        room.run(milliseconds: 5000)
        #expect(room.heard == Array(0..<8) + [12])
        #expect(Set(room.decoded).subtracting(room.heard).isSubset(of: [10, 11]), "one of them is looked into")
        #expect(room.selection.level(of: 3) == AudioLevel(decibelsBelow: 23) && room.selection.level(of: 11) == nil)
    }

    @Test("stays who it is until somebody is louder by far") func stays() {
        var room = Room([Int?](repeating: -30, count: 8) + [Int?](repeating: -127, count: 4))
        room.run(milliseconds: 2000)
        #expect(room.heard == Array(0..<8))
        (room.claims[9], room.voices[9]) = (AudioLevel(dBov: -26), -26)
        room.run(milliseconds: 200)
        #expect(room.heard == Array(0..<8))
        (room.claims[9], room.voices[9]) = (AudioLevel(dBov: -20), -20)
        room.run(milliseconds: 40)
        #expect(room.heard.count == 8 && room.heard.contains(9))
    }

    @Test("who pauses is heard for a second still, and at once when he goes on") func pause() {
        var room = Room([-20] + [Int?](repeating: -127, count: 11))
        room.run(milliseconds: 2000)
        #expect(room.heard == [0])
        (room.claims[0], room.voices[0]) = (.silence, -127)
        room.run(milliseconds: 900)
        #expect(room.heard == [0])
        room.run(milliseconds: 200)
        #expect(room.heard.isEmpty)
        (room.claims[0], room.voices[0]) = (AudioLevel(dBov: -20), -20)
        room.run(milliseconds: 20)
        #expect(room.heard == [0])
        let first = room.lastBlocks[0]
        #expect(abs(first[0]) < 0.001 && abs(first[159]) == room.level(-20), "he is faded in")
    }

    @Test("who claims to be loud all the time has what he is measured by, and costs nobody else a place") func exaggeration() {
        var room = Room(
            [Int?](repeating: 0, count: 8) + [-30, -127, -127], voices: [Double](repeating: -127, count: 8) + [-30, -127, -127])
        room.run(milliseconds: 900)
        #expect(!room.heard.contains(8))
        room.run(milliseconds: 200)
        #expect(room.heard.contains(8))
        for _ in 0..<100 {
            room.run(milliseconds: 200)
            #expect(room.heard.contains(8))
        }
    }

    @Test("who claims silence is looked into, and heard if he speaks") func hidden() {
        var room = Room(
            [Int?](repeating: -127, count: 12),
            voices: [Double](repeating: -127, count: 5) + [-20] + [Double](repeating: -127, count: 6))
        room.run(milliseconds: 1500)
        #expect(room.heard.isEmpty && room.decoded.count <= 1)
        room.run(milliseconds: 2000)
        #expect(room.heard == [5] && room.selection.level(of: 5) == AudioLevel(decibelsBelow: 20))
    }

    @Test(
        "is chosen for a hundred parties without a byte of memory",
        .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
    func memory() {
        var selection = SpeakerSelection(sampleRate: 16_000)
        for _ in 0..<100 { selection.join() }
        var block = [Float](repeating: 0.1, count: 320)
        audit_begin()
        for frame in 0..<500 {
            selection.choose(milliseconds: 20) { $0 % 7 == frame / 50 % 7 ? AudioLevel(decibelsBelow: 20) : .silence }
            for party in 0..<100 { block.withUnsafeMutableBufferPointer { selection.take($0, of: party) } }
        }
        let found = audit_end()
        #expect(found.allocations == 0 && found.frees == 0 && found.locks == 0, "\(found)")
    }

    @Test("goes on when parties leave and come, whoever is looked into") func change() {
        var room = Room([Int?](repeating: -127, count: 12))
        for _ in 0..<40 {
            room.run(milliseconds: 140)
            room.selection.leave(room.voices.count / 2)
            room.selection.join()
            room.selection.renew(0)
            #expect(room.decoded.count <= 12)
        }
        #expect(room.heard.count <= 10)
    }
}
