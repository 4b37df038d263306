import AudioDevices
import AudioFiles
import AudioUnits
import Glibc
import Realtime

/// Records the microphone: `example-recorder FILE.wav [SECONDS] [DEVICE]`.
///
/// The device's thread leaves what it hears in a ring without locks; the main thread takes it out and writes the file.
@main
struct Recorder {
    /// The ring's writing end, which is the device thread's.
    final class Inlet: @unchecked Sendable {
        var ring: RingProducer<Float>
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 65_536)
        init(_ ring: consuming RingProducer<Float>) { self.ring = ring }
        deinit { block.deallocate() }

        func take(_ notice: InputNotice) {
            let count = notice.render(into: block, frames: min(notice.frames, 65_536))
            _ = ring.write(block, count: count)
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print("usage: example-recorder FILE.wav [SECONDS] [DEVICE]") }
        let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 5 : 5
        let device = try DeviceSpecification(parsing: arguments.count > 3 ? arguments[3] : "default")

        let ends = try RingEnds<Float>(minimumCapacity: 48_000)
        let inlet = Inlet(ends.producer)
        var ring = ends.consumer
        let unit = RemoteIO(device: try makeDevice(device, device))
        try unit.enable(input: true, output: false)
        try unit.setInputHandler(InputHandler { inlet.take($0) })
        try unit.initialize()
        let file = try AudioFileWriter(path: arguments[1], sampleRate: 48_000)
        var block = [Float](repeating: 0, count: 4_800)
        try unit.start()
        while Double(file.framesWritten) < seconds * 48_000 {
            usleep(20_000)
            let left = Int(seconds * 48_000) - file.framesWritten
            let count = ring.read(into: &block, count: min(block.count, left))
            try file.write(Array(block[..<count]))
        }
        unit.dispose()
        file.finish()
        print("wrote \(file.framesWritten) frames to \(arguments[1])")
    }
}
