import Media
import Testing

@Suite("Frames that are taken later than usual") struct FrameLatenessTests {
    @Test("one is late by what its age exceeds the usual one")
    func late() {
        var lateness = FrameLateness()
        var found: [Double] = []
        for frame in 0..<1000 {
            let late = lateness.note(ageMilliseconds: frame % 35 == 34 ? 32 : 26)
            if late > 0 { found.append(late) }
        }
        #expect(found.count == 28 && found.allSatisfy { abs($0 - 6) < 0.5 }, "\(found)")
    }

    @Test("where a device hands over frames of every age, none is late")
    func uneven() {
        var lateness = FrameLateness()
        var found = 0
        for frame in 0..<1000 {
            let late = lateness.note(ageMilliseconds: 26 + Double(frame * 7 % 50) / 10)
            if late > 0, frame > 100 { found += 1 }
        }
        #expect(found == 0)
    }

    @Test("another age that stays is the usual one within some seconds")
    func follows() {
        var lateness = FrameLateness()
        for _ in 0..<100 { _ = lateness.note(ageMilliseconds: 26) }
        var last = 0
        for frame in 0..<500 where lateness.note(ageMilliseconds: 36) > 0 { last = frame }
        #expect(last < 250, "frame \(last)")
    }
}
