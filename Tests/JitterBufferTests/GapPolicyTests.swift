import JitterBuffer
import Testing

@Suite struct GapPolicyTests {
    @Test("Plain loss is concealed to its end and adds no delay")
    func loss() {
        let policy = GapPolicy(delay: 30, target: 20, concealed: 15, emptied: 0)
        #expect(policy.step(missing: 20, duration: 20) == .conceal(5))
        let done = GapPolicy(delay: 30, target: 20, concealed: 20, emptied: 0)
        #expect(done.step(missing: 20, duration: 20) == .resume(skip: 0))
    }

    @Test("Time lost to an empty buffer becomes delay, up to the target")
    func underrun() {
        let short = GapPolicy(delay: 30, target: 140, concealed: 60, emptied: 60)
        #expect(short.step(missing: 0, duration: 20) == .resume(skip: 0))
        let long = GapPolicy(delay: 30, target: 140, concealed: 200, emptied: 200)
        #expect(long.step(missing: 0, duration: 20) == .discard)
        let last = GapPolicy(delay: 30, target: 140, concealed: 115, emptied: 115)
        #expect(last.step(missing: 0, duration: 20) == .resume(skip: 5))
        let near = GapPolicy(delay: 30, target: 20, concealed: 30, emptied: 30)
        #expect(near.step(missing: 0, duration: 20) == .resume(skip: 0))
        let far = GapPolicy(delay: 30, target: 20, concealed: 50, emptied: 50)
        #expect(far.step(missing: 0, duration: 60) == .resume(skip: 50))
    }

    @Test("After a long gap the delay may go above the target as far as it stays bearable")
    func longMiss() {
        let bearable = GapPolicy(delay: 30, target: 20, concealed: 170, emptied: 170, roomAfterLongMiss: 150)
        #expect(bearable.step(missing: 0, duration: 60) == .resume(skip: 30))
        #expect(GapPolicy.room(aboveTarget: 20) == 150)
        #expect(GapPolicy.room(aboveTarget: 200) == 40)
        #expect(GapPolicy.room(aboveTarget: 300) == 0)
    }

    @Test("What is left of a gap whose start was given up is no near miss: the delay stays")
    func remainder() {
        let policy = GapPolicy(delay: 30, target: 20, concealed: 30, emptied: 30, hasDropped: true)
        #expect(policy.step(missing: 0, duration: 20) == .discard)
        let last = GapPolicy(delay: 30, target: 20, concealed: 10, emptied: 10, hasDropped: true)
        #expect(last.step(missing: 0, duration: 20) == .resume(skip: 10))
        let below = GapPolicy(delay: 30, target: 45, concealed: 30, emptied: 30, hasDropped: true)
        #expect(below.step(missing: 0, duration: 20) == .resume(skip: 15))
    }

    @Test("Of loss and underrun together only the underrun's part becomes delay")
    func both() {
        let policy = GapPolicy(delay: 10, target: 140, concealed: 50, emptied: 50)
        // 20 of the 50 ms never come: 30 ms of shift.
        #expect(policy.step(missing: 20, duration: 20) == .resume(skip: 0))
        let partly = GapPolicy(delay: 10, target: 140, concealed: 50, emptied: 25)
        #expect(partly.step(missing: 20, duration: 60) == .resume(skip: 25))
    }

    @Test("In a pause the next sound waits for the target and is played at it")
    func pause() {
        let policy = GapPolicy(delay: 90, target: 20, concealed: 400, emptied: 0)
        #expect(policy.stepInPause(delayNow: 5, duration: 20, room: 120) == .conceal(10))
        #expect(policy.stepInPause(delayNow: 17, duration: 20, room: 120) == .conceal(3))
        #expect(policy.stepInPause(delayNow: 21, duration: 20, room: 120) == .resume(skip: 0))
        #expect(policy.stepInPause(delayNow: 400, duration: 20, room: 120) == .discard)
        #expect(policy.stepInPause(delayNow: 35, duration: 20, room: 0) == .resume(skip: 15))
    }
}
