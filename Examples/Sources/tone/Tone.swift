import AudioDevices
import AudioUnits
import Glibc

/// Plays a tone: `example-tone [SECONDS] [DEVICE] [HERTZ]`.
@main
struct Tone {
    static func main() throws {
        let arguments = CommandLine.arguments
        let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 2 : 2
        let device = try DeviceSpecification(parsing: arguments.count > 2 ? arguments[2] : "default")
        let hertz = arguments.count > 3 ? Double(arguments[3]) ?? 440 : 440

        // Remote I/O: output on, input off, 48,000 Hz Float32 mono unless something else is set.
        let unit = RemoteIO(device: try makeDevice(device, device))
        let radiansPerFrame = 2 * Double.pi * hertz / 48_000
        try unit.setRenderCallback(
            RenderCallback { slice in
                // On the device's thread: no lock, no allocation, no wait.
                for frame in 0..<slice.frames {
                    let time = Double(slice.time.sampleTime + Int64(frame))
                    slice.buffer[frame] = Float(0.2 * sin(radiansPerFrame * time))
                }
            })
        try unit.initialize()
        try unit.start()
        usleep(UInt32(seconds * 1_000_000))
        unit.stop()
        print("played \(unit.statistics.outputFrames) frames of \(hertz) Hz on \(device.name)")
        unit.dispose()
    }
}
