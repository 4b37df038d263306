import AudioDevices
import AudioUnits
import Glibc

/// Mixes the microphone with a melody: `example-karaoke [SECONDS] [DEVICE]`.
/// ```
/// queue of notes -> mixer input 0 ┐
/// microphone     -> mixer input 1 ┴ mixer -> loudspeaker
/// ```
@main
struct Karaoke {
    static func main() throws {
        let arguments = CommandLine.arguments
        let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 10 : 10
        let device = try DeviceSpecification(parsing: arguments.count > 2 ? arguments[2] : "default")

        let unit = RemoteIO(device: try makeDevice(device, device))
        try unit.enable(input: true, output: true)
        let music = AudioQueue(effect: .timePitch)
        let mixer = MultichannelMixer()
        let graph = AudioGraph(output: unit)
        try graph.connect(music, to: mixer, input: 0)
        // The microphone's side of the same unit is a source like any other.
        try graph.connect(unit, to: mixer, input: 1)
        try graph.connect(mixer, to: unit)
        try graph.initialize()

        try mixer.setVolume(0.5, input: 0)
        try mixer.setPan(-0.3, input: 0)
        mixer.isMetering = true
        // A key lower, for those who sing deep; the tempo stays.
        try music.setPitch(-200)
        for (index, semitone) in [0, 2, 4, 5, 7, 7, 9, 9, 7].enumerated() {
            try music.enqueue(try note(semitone)) { _ in print("note \(index + 1) is over") }
        }
        try graph.start()
        for _ in 0..<Int(seconds * 4) {
            usleep(250_000)
            let (melody, voice) = (try mixer.level(input: 0), try mixer.level(input: 1))
            print("music \(Int(melody.peak)) dB, voice \(Int(voice.peak)) dB")
        }
        graph.dispose()
    }

    /// Four tenths of a second of a plucked tone, semitones above A4.
    static func note(_ semitone: Int) throws -> AudioQueueBuffer {
        let hertz = 440 * pow(2, Double(semitone) / 12)
        return try AudioQueueBuffer(
            (0..<19_200).map { frame in
                let time = Double(frame) / 48_000
                return Float(0.4 * exp(-6 * time) * sin(2 * .pi * hertz * time))
            })
    }
}
