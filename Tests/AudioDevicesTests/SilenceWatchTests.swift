import AudioDevices
import Testing

@Suite struct SilenceWatchTests {
    @Test func threeSecondsOfZerosAreToldOnceAndSoundIsToldOnce() {
        var watch = SilenceWatch(rate: 8000)
        var told: [Bool] = []
        for block in 0..<1000 {
            if let isSilent = watch.note(heard: block == 0 || block >= 900, frames: 80) { told.append(isSilent) }
            if block == 299 { #expect(told.isEmpty, "not before three seconds") }
        }
        #expect(told == [true, false])
    }

    @Test func aShorterPauseIsNotTold() {
        var watch = SilenceWatch(rate: 8000)
        for block in 0..<1000 {
            let told = watch.note(heard: block % 250 == 0, frames: 80)
            #expect(told == nil)
        }
    }
}
