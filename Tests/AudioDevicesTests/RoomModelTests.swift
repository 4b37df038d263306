import AudioDevices
import AudioUnits
import Testing

@Suite struct RoomModelTests {
    private let rate = 16_000
    private let block = 160

    private func run(_ room: RoomModel, seconds: Double, _ voice: (Int) -> Float) -> [Float] {
        var output: [Float] = []
        var position = 0
        var microphone = [Float](repeating: 0, count: room.blockFrames)
        for _ in 0..<Int(seconds * Double(rate)) / room.blockFrames {
            let count = room.nextSpeakerFrames()
            let speaker = (0..<count).map { voice(position + $0) }
            position += count
            room.process(speaker: speaker, into: &microphone)
            output += microphone
        }
        return output
    }

    private func parameters(_ response: [Float]) -> RoomModel.Parameters {
        RoomModel.Parameters(sampleRate: rate, blockFrames: block, impulseResponse: response)
    }

    @Test func aPulseComesBackAsTheImpulseResponse() throws {
        let response = RoomResponse.samples(.office, sampleRate: rate, seed: 7)
        let heard = run(try RoomModel(parameters(response)), seconds: 1) { $0 == 0 ? 1 : 0 }
        for index in response.indices { #expect(abs(heard[index] - response[index]) < 1e-5) }
        #expect(heard[response.count...].allSatisfy { abs($0) < 1e-5 })
    }

    @Test(arguments: [0.0, 12.5, 40.0, 333.0])
    func theDelayIsExactToTheSample(milliseconds: Double) throws {
        var given = parameters([1])
        given.delayMilliseconds = milliseconds
        let heard = run(try RoomModel(given), seconds: 0.5) { $0 == 5 ? 1 : 0 }
        let peak = heard.indices.max { abs(heard[$0]) < abs(heard[$1]) }
        #expect(peak == 5 + Int(milliseconds * Double(rate) / 1000))
    }

    @Test(arguments: [-200.0, -37.0, 50.0, 1000.0])
    func driftIsWhatWasAskedFor(ppm: Double) throws {
        var given = parameters([1])
        given.driftPPM = ppm
        // a pulse each second of the loudspeaker's clock: how far apart does the microphone hear them?
        let seconds = 20.0
        let heard = run(try RoomModel(given), seconds: seconds) { $0 % rate == 1000 ? 1 : 0 }
        func center(near position: Int) -> Double {
            let window = max(position - 60, 0)..<min(position + 60, heard.count)
            let energy = window.reduce(0.0) { $0 + Double(heard[$1] * heard[$1]) }
            return window.reduce(0.0) { $0 + Double($1) * Double(heard[$1] * heard[$1]) } / energy
        }
        let periods = 18
        let first = center(near: 1010)
        let last = center(near: Int(1010 + Double(periods * rate) * (1 + ppm * 1e-6)))
        let measured = ((last - first) / Double(periods * rate) - 1) * 1e6
        #expect(abs(measured - ppm) < 3, "measured \(measured) ppm")
    }

    @Test func driftLosesNoSampleOverTenMinutes() throws {
        var given = parameters([1])
        given.driftPPM = 300
        let heard = run(try RoomModel(given), seconds: 600) { _ in 0.5 }
        #expect(heard[1000...].allSatisfy { abs($0 - 0.5) < 0.01 })
    }

    @Test func nearEndSpeechIsRepeatedAndNoiseHasItsLevel() throws {
        var given = parameters([0])
        given.nearEnd = (0..<700).map { Float($0) / 1000 }
        let near = run(try RoomModel(given), seconds: 1) { _ in 0 }
        for index in near.indices { #expect(near[index] == Float(index % 700) / 1000) }
        var noisy = parameters([0])
        noisy.noiseDecibels = -40
        let noise = run(try RoomModel(noisy), seconds: 2) { _ in 0 }
        let power = noise.reduce(0) { $0 + $1 * $1 } / Float(noise.count)
        #expect(abs(power / 1e-4 - 1) < 0.05)
    }

    @Test(arguments: BuiltInRoom.allCases)
    func builtInRoomsDecayAsTheySayAndDependOnTheSeedOnly(room: BuiltInRoom) {
        let response = RoomResponse.samples(room, sampleRate: rate, seed: 3)
        #expect(response == RoomResponse.samples(room, sampleRate: rate, seed: 3))
        #expect(response != RoomResponse.samples(room, sampleRate: rate, seed: 4))
        let energy = response.reduce(0) { $0 + $1 * $1 }
        #expect(abs(energy - 0.25) < 0.001)
        // direct sound first and strongest
        let peak = response.indices.max { abs(response[$0]) < abs(response[$1]) }!
        #expect(peak < rate / 100)
        let third = response.count / 3
        let early = response[..<third].reduce(0) { $0 + $1 * $1 }
        let late = response[(2 * third)...].reduce(0) { $0 + $1 * $1 }
        #expect(late < early / 1000)
    }

    @Test func impossibleBlocksAreRefused() {
        #expect(throws: DeviceError.self) {
            _ = try RoomModel(RoomModel.Parameters(sampleRate: 8000, blockFrames: 3, impulseResponse: [1]))
        }
        #expect(throws: DeviceError.self) {
            _ = try RoomModel(RoomModel.Parameters(sampleRate: 8000, blockFrames: 80, impulseResponse: []))
        }
    }
}
