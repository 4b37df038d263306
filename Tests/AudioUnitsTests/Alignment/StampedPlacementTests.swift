import AudioUnits
import Testing

@Suite("Placement by time stamps")
struct StampedPlacementTests {
    private func look(
        _ placement: inout StampedPlacement, block: Int, now: Int, written: Int, wasStarved: Bool = false
    ) -> StampedPlacement.Verdict {
        placement.look(
            now: Int64(now), written: Int64(written), position: Int64(160 * block), count: 160, wasStarved: wasStarved)
    }

    @Test("waits until something has been rendered, then places the reference 3 ms early")
    func places() {
        var placement = StampedPlacement(rate: 16_000)
        #expect(look(&placement, block: 0, now: -500, written: 0) == .wait)
        #expect(look(&placement, block: 1, now: 20, written: 20) == .wait)
        #expect(look(&placement, block: 2, now: 400, written: 1600) == .place(offset: 448 - 320))
        #expect(placement.offset == 128)
    }

    @Test("not earlier than what has been rendered")
    func idealDevice() {
        var placement = StampedPlacement(rate: 16_000)
        #expect(look(&placement, block: 1, now: 0, written: 160) == .place(offset: -160))
    }

    @Test("stamps off by less than 4.5 ms are endured; by more, for half a second, they move it")
    func moves() {
        var placement = StampedPlacement(rate: 16_000)
        _ = look(&placement, block: 0, now: 1000, written: 8000)
        for block in 1...200 { #expect(look(&placement, block: block, now: 1060 + 160 * block, written: 80_000) == .hold) }
        var moved: Int?
        for block in 201...260 {
            let verdict = look(&placement, block: block, now: 1100 + 160 * block, written: 80_000)
            if verdict != .hold {
                #expect(verdict == .move(offset: 1148))
                #expect(moved == nil)
                moved = block
            }
        }
        #expect((249...252).contains(moved ?? 0))
    }

    @Test("a reference that is always late is placed later, with a millisecond to spare")
    func starving() {
        var placement = StampedPlacement(rate: 16_000)
        _ = look(&placement, block: 0, now: 1000, written: 1300)
        var moved = false
        for block in 1...60 where !moved {
            let verdict = look(
                &placement, block: block, now: 1000 + 160 * block, written: 1130 + 160 * block, wasStarved: true)
            moved = verdict == .move(offset: 1000 - 16)
        }
        #expect(moved)
    }
}

@Suite("Window of the delay finder")
struct FinderWindowTests {
    private func look(
        _ window: inout FinderWindow, block: Int, now: Int, written: Int, echo: Int? = nil, wasStarved: Bool = false
    ) -> FinderWindow.Verdict {
        window.look(
            now: Int64(now), written: Int64(written), position: Int64(160 * block), count: 160, wasStarved: wasStarved,
            echo: echo.map(Int64.init))
    }

    @Test("begins 100 ms ahead of what is heard, or halfway to what has been rendered")
    func begins() {
        var window = FinderWindow(rate: 16_000)
        #expect(look(&window, block: 0, now: -10, written: 0) == .wait)
        #expect(look(&window, block: 0, now: 1000, written: 20_000) == .shifted)
        #expect(window.offset == 2600)
        window = FinderWindow(rate: 16_000)
        #expect(look(&window, block: 0, now: 1000, written: 2160) == .shifted)
        #expect(window.offset == 1500)
        window = FinderWindow(rate: 16_000)
        #expect(look(&window, block: 1, now: 0, written: 160) == .shifted)
        #expect(window.offset == -160)
    }

    @Test("drift that carries the echo through the window shifts it before the echo leaves, and not otherwise")
    func drift() throws {
        var window = FinderWindow(rate: 16_000)
        var shifts = 0
        // 30 minutes at 100 ppm, either way.
        for ppm in [100e-6, -100e-6] {
            window = FinderWindow(rate: 16_000)
            for block in 0..<180_000 {
                let heard = 2000 + Int(Double(160 * block) * (1 + ppm))
                let echo = heard - 640
                let verdict = look(&window, block: block, now: heard, written: heard + 3000, echo: block > 100 ? echo : nil)
                if block > 0 && verdict == .shifted { shifts += 1 }
                #expect(verdict != .lost)
                let lag = 160 * block + Int(try #require(window.offset)) - echo
                if lag < 0 || lag > 8000 { Issue.record("block \(block): lag \(lag)") }
            }
        }
        #expect((1...4).contains(shifts), "\(shifts)")
    }

    @Test("stamps that jump by more than the window is wide lose the delay")
    func lost() {
        var window = FinderWindow(rate: 16_000)
        _ = look(&window, block: 0, now: 10_000, written: 20_000)
        var verdicts: [FinderWindow.Verdict] = []
        for block in 1...200 {
            let now = 10_000 + 160 * block - (block > 100 ? 16_000 : 0)
            verdicts.append(look(&window, block: block, now: now, written: now + 3000, echo: 9000 + 160 * block))
        }
        #expect(verdicts.filter { $0 == .lost }.count == 1)
        #expect(verdicts[..<149].allSatisfy { $0 == .hold })
    }

    @Test("an ideal device, whose echo begins the window, is left alone")
    func ideal() {
        var window = FinderWindow(rate: 16_000)
        for block in 1...500 {
            let verdict = look(&window, block: block, now: 160 * block - 160, written: 160 * block, echo: 160 * block - 170)
            #expect(block == 1 || verdict == .hold)
        }
    }
}
