import AudioDevices
import AudioUnits
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Network

/// Two people, one network: `example-intercom listen PORT [SECONDS] [DEVICE]` on one machine,
/// `example-intercom HOST:PORT [SECONDS] [DEVICE]` on the other.
@main
struct Intercom {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count > 1 || arguments.first?.contains(":") == true else {
            return print("usage: example-intercom listen PORT | HOST:PORT, then [SECONDS] [DEVICE]")
        }
        var configuration = CallConfiguration(codec: .opus, seed: .random(in: .min ... .max))
        let socket: UDPLink
        let target = arguments.removeFirst()
        if target == "listen" {
            configuration.policy.waitsForCaller = true
            socket = try UDPLink(localPort: UInt16(arguments.removeFirst()) ?? 5004)
        } else {
            let parts = target.split(separator: ":")
            let port = parts.count > 1 ? UInt16(parts[1]) ?? 5004 : 5004
            socket = try UDPLink(remote: try resolve(host: String(parts[0]), port: port)[0])
        }
        let seconds = arguments.first.flatMap { Double($0) } ?? 3600
        let device = try DeviceSpecification(parsing: arguments.count > 1 ? arguments[1] : "default")

        // Voice processing takes the loudspeaker's sound out of the microphone's; the session joins the rest.
        let unit = VoiceProcessingIO(device: try makeDevice(device, device))
        let session = try CallSession(CallParty(configuration: configuration, socket: socket), unit: unit)
        try session.start()
        var isOver = false
        for _ in 0..<Int(seconds * 10) where !isOver {
            usleep(100_000)
            for event in session.channel.events.takeAll() {
                print("\(event)")
                if case .call(.ended) = event { isOver = true }
            }
        }
        session.channel.send(.hangUp(.localHangup))
        _ = session.finish()
        let figures = session.channel.statistics
        print("sent \(figures.packetsSent ?? 0) packets, received \(figures.packetsReceived ?? 0)")
        unit.dispose()
    }
}
